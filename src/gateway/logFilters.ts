import type { JsonText } from "../jsonrpc/envelope.ts";
import { filterBounds } from "../source/pool/filters.ts";
import { BoundedMap } from "../std/maps.ts";

/** Criteria of log filters created on the nodes, by filter id. */
export class LogFilters {
  readonly #params = new BoundedMap<string, readonly unknown[]>(filterBounds((params) => params));

  note(method: string, params: readonly unknown[], { text }: JsonText): void {
    if (method === "eth_uninstallFilter") this.#params.delete(String(params[0]));
    if (method !== "eth_newFilter") return;
    this.#params.set(String(JSON.parse(text)), params);
  }

  /** Parameters of the `eth_newFilter` call. */
  paramsOf(id: unknown): readonly unknown[] | undefined {
    return typeof id === "string" ? this.#params.get(id) : undefined;
  }
}
