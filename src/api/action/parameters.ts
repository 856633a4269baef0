import { ActionError } from "./answer.ts";

/** Names of one request, from the URL and from its body together. */
export const MAX_PARAMETERS = 100;

/**
 * The parameters of a request, wherever they stood: query, form or JSON. Names are found in any case, since clients
 * spell them as they like (`startblock`, `startBlock`); of a name that comes twice the first counts, and the URL before
 * the body, but in a list all of them. An empty value is an absent one.
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

  /** The items of a list separated by commas; those of a name that comes twice in their order. At most one more than `most`. */
  list(name: string, most: number): string[] {
    const items: string[] = [];
    for (const value of this.#values.get(name.toLowerCase()) ?? []) {
      if (items.length > most) break;
      for (const item of value.split(",", most + 1)) items.push(item.trim());
    }
    return items.slice(0, most + 1);
  }
}
