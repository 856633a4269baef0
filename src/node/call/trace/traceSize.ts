import { RPC, RpcError } from "../../../jsonrpc/rpcError.ts";

/** Characters of a trace, or of those of a block. */
export const MAX_TRACE_CHARACTERS = 64 * 1024 * 1024;

/** Size of a trace so far. Larger ones are refused as they grow. */
export class TraceSize {
  #characters = 0;

  get characters(): number {
    return this.#characters;
  }

  add(characters: number): void {
    this.#characters += characters;
    if (this.#characters <= MAX_TRACE_CHARACTERS) return;
    throw new RpcError(RPC.responseTooLarge, "the trace is too large: trace with fewer options, or with callTracer");
  }
}
