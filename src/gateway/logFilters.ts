import type { JsonText } from "../jsonrpc/envelope.ts";
import { filterBounds } from "../source/pool/filters.ts";
import { BoundedMap } from "../std/boundedMap.ts";

/** The criteria of the log filters of the nodes, by filter id, within the bounds of the node pool. */
export class LogFilters {
  readonly #params = new BoundedMap<string, readonly unknown[]>(filterBounds((params) => params));

  /** Takes note of a call about filters that a node has answered. */
  note(method: string, params: readonly unknown[], { text }: JsonText): void {
    if (method === "eth_uninstallFilter") this.#params.delete(String(params[0]));
    if (method !== "eth_newFilter") return;
    this.#params.set(String(JSON.parse(text)), params);
  }

  /** The parameters that `eth_newFilter` was called with. */
  paramsOf(id: unknown): readonly unknown[] | undefined {
    return typeof id === "string" ? this.#params.get(id) : undefined;
  }
}
