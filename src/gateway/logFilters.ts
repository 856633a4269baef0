import type { JsonText } from "../jsonrpc/envelope.ts";
import { MOST_FILTERS } from "../source/pool/filters.ts";
import { dropOldest } from "../std/dropOldest.ts";

/** What the log filters of the nodes ask for, by their ids. As many are remembered as the nodes' pool remembers. */
export class LogFilters {
  readonly #params = new Map<string, readonly unknown[]>();

  /** Takes note of a call about filters that a node has answered. */
  note(method: string, params: readonly unknown[], { text }: JsonText): void {
    if (method === "eth_uninstallFilter") this.#params.delete(String(params[0]));
    if (method !== "eth_newFilter") return;
    this.#params.set(String(JSON.parse(text)), params);
    dropOldest(this.#params, MOST_FILTERS);
  }

  /** The parameters that `eth_newFilter` was called with. */
  paramsOf(id: unknown): readonly unknown[] | undefined {
    return typeof id === "string" ? this.#params.get(id) : undefined;
  }
}
