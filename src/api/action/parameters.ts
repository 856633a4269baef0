import { ActionError } from "./answer.ts";

/** Names of one request, from the URL and from its body together. */
export const MOST_PARAMETERS = 100;

/**
 * The parameters of a request, wherever they stood: query, form or JSON. Names are found in any case, since clients
 * spell them as they like (`startblock`, `startBlock`); of a name that comes twice the first counts, and the URL before
 * the body. An empty value is an absent one.
 */
export class Parameters {
  readonly #values = new Map<string, string>();

  constructor(...sources: readonly Iterable<readonly [name: string, value: string]>[]) {
    for (const source of sources) {
      for (const [name, value] of source) this.#add(name.toLowerCase(), value);
    }
  }

  #add(name: string, value: string): void {
    if (value === "" || this.#values.has(name)) return;
    if (this.#values.size >= MOST_PARAMETERS) throw new ActionError("Too many query parameters");
    this.#values.set(name, value);
  }

  get(name: string): string | undefined {
    return this.#values.get(name.toLowerCase());
  }
}
