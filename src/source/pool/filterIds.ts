import { randomBytes } from "node:crypto";
import { toHex } from "../../chain/encoding/hex.ts";
import { dropOldest } from "../../std/dropOldest.ts";

/** Filters that are remembered; the oldest is forgotten first. */
export const MOST_FILTERS = 10_000;

/** Ids of filters in several nodes: ours, which nobody can guess, and whose each one is. */
export class FilterIds<O> {
  readonly #known = new Map<string, { readonly owner: O; readonly id: unknown }>();

  add(owner: O, id: unknown): string {
    const own = toHex(randomBytes(16)).replace(/^0x0+/, "0x");
    this.#known.set(own, { owner, id });
    dropOldest(this.#known, MOST_FILTERS);
    return own;
  }

  find(own: unknown): { readonly owner: O; readonly id: unknown } | undefined {
    return typeof own === "string" ? this.#known.get(own) : undefined;
  }
}
