import { ActionError } from "./answer.ts";

export const MAX_PARAMETERS = 100;

/**
 * Parameters from query, form or JSON. Names are case-insensitive (`startblock`, `startBlock`). For duplicates the
 * first value wins, URL before body, except in lists. Empty values are absent.
 */
export class Parameters {
  readonly #values = new Map<string, string[]>();

  constructor(...sources: readonly Iterable<readonly [name: string, value: string]>[]) {
    for (const source of sources) {
      for (const [name, value] of source) this.#add(name.toLowerCase(), value);
    }
  }

  #add(name: string, value: string): void {
    if (value === "") return;
    const values = this.#values.get(name);
    if (values !== undefined) {
      values.push(value);
      return;
    }
    if (this.#values.size >= MAX_PARAMETERS) throw new ActionError("Too many query parameters");
    this.#values.set(name, [value]);
  }

  get(name: string): string | undefined {
    return this.#values.get(name.toLowerCase())?.[0];
  }

  /** Comma-separated items, duplicates appended. Returns at most `limit` + 1. */
  list(name: string, limit: number): string[] {
    const items: string[] = [];
    for (const value of this.#values.get(name.toLowerCase()) ?? []) {
      if (items.length > limit) break;
      for (const item of value.split(",", limit + 1)) items.push(item.trim());
    }
    return items.slice(0, limit + 1);
  }
}
