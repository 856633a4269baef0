import type { Hash } from "../../chain/encoding/bytes.ts";
import { quantity, toHex } from "../../chain/encoding/hex.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import { invalid, readArray, readNumber, readObject, WireReader } from "../../chain/encoding/wire.ts";
import { asChainError, ChainError } from "../../chain/error.ts";
import type { Source } from "../../chain/source.ts";
import { readCallTrace } from "../../chain/trace/callTrace.ts";
import { readFlatTrace } from "../../chain/trace/flatTrace.ts";
import type { TracedTransaction } from "../../chain/trace/internalCall.ts";
import { UpstreamError } from "../../source/failure.ts";

/** Response limit per block, or per transaction if the block exceeds it. */
const MAX_TRACE_BYTES = 32 << 20;

const MAX_CALLS = 100_000;

/** Time limit on the node. */
const CONFIG = { tracer: "callTracer", timeout: "30s" };

export interface TraceTarget {
  readonly number: number;
  readonly hash: Hash;
  readonly transactions: readonly Hash[];
}

type Way = "debug_traceBlockByHash" | "trace_block";

/** Fetches internal calls by whichever trace method the node supports. */
export class TraceReader {
  readonly #source: Pick<Source, "request">;
  #way: Way | undefined;

  constructor(source: Pick<Source, "request">) {
    this.#source = source;
  }

  async read(block: TraceTarget): Promise<TracedTransaction[]> {
    if (block.transactions.length === 0) return [];
    try {
      return await this.#readBlock(block);
    } catch (error) {
      if (asChainError(error).code !== "limit_exceeded") throw error;
      return this.#oneByOne(block);
    }
  }

  async #readBlock(block: TraceTarget): Promise<TracedTransaction[]> {
    if (this.#way === "trace_block") return this.#flat(block);
    try {
      const traces = await this.#nested(block);
      this.#way = "debug_traceBlockByHash";
      return traces;
    } catch (error) {
      if (this.#way !== undefined || !isUnknownMethod(error)) throw error;
      const traces = await this.#flat(block);
      this.#way = "trace_block";
      return traces;
    }
  }

  async #nested(block: TraceTarget): Promise<TracedTransaction[]> {
    const answer = await this.#ask("debug_traceBlockByHash", [toHex(block.hash), CONFIG]);
    const entries = readArray(answer, "debug_traceBlockByHash");
    expectCount(block, entries.length);
    const reader = new WireReader();
    return entries.map((entry, at) => {
      const { txHash, result, error } = readObject(entry, "trace");
      if (typeof txHash === "string") expectHash(txHash, block.transactions[at]!);
      if (error !== undefined) throw failedTrace(block, error);
      return bounded(readCallTrace(result, reader));
    });
  }

  async #flat(block: TraceTarget): Promise<TracedTransaction[]> {
    const entries = readArray(await this.#ask("trace_block", [quantity(block.number)]), "trace_block");
    const byTransaction = block.transactions.map((): Wire[] => []);
    for (const entry of entries) {
      const trace = readObject(entry, "trace");
      if (trace.transactionHash === undefined || trace.transactionHash === null) continue;
      const at = readNumber(trace.transactionPosition, "trace.transactionPosition");
      if (typeof trace.blockHash === "string") expectHash(trace.blockHash, block.hash);
      if (byTransaction[at] === undefined) throw invalid("trace.transactionPosition", at, "a transaction of the block");
      expectHash(String(trace.transactionHash), block.transactions[at]!);
      byTransaction[at].push(trace);
    }
    expectCount(block, byTransaction.filter((traces) => traces.length > 0).length);
    const reader = new WireReader();
    return byTransaction.map((traces) => bounded(readFlatTrace(traces, reader)));
  }

  /** If the block's trace is too long, single transactions may not be. */
  async #oneByOne(block: TraceTarget): Promise<TracedTransaction[]> {
    const traced: TracedTransaction[] = [];
    for (const hash of block.transactions) traced.push(await this.#one(hash));
    return traced;
  }

  async #one(hash: Hash): Promise<TracedTransaction> {
    try {
      const trace = await this.#ask("debug_traceTransaction", [toHex(hash), CONFIG]);
      return bounded(readCallTrace(trace, new WireReader()));
    } catch (error) {
      if (asChainError(error).code !== "limit_exceeded") throw error;
      return { calls: "too long", error: undefined };
    }
  }

  #ask(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.#source.request(method, params, MAX_TRACE_BYTES);
  }
}

function bounded(traced: TracedTransaction): TracedTransaction {
  return traced.calls.length > MAX_CALLS ? { ...traced, calls: "too long" } : traced;
}

function expectCount({ number, transactions }: TraceTarget, found: number): void {
  if (found === transactions.length) return;
  const text = `the node sent traces of ${found} transactions of block ${number}, which has ${transactions.length}`;
  throw new ChainError("upstream_invalid", text);
}

function expectHash(text: string, expected: Hash): void {
  const hash = toHex(expected);
  if (text !== hash && text.toLowerCase() !== hash) throw invalid("trace.hash", text, hash);
}

function failedTrace({ number }: TraceTarget, error: unknown): ChainError {
  return new ChainError("upstream_rejected", `the node cannot trace block ${number}: ${String(error).slice(0, 200)}`);
}

const NO_SUCH_METHOD = -32601;

function isUnknownMethod(error: unknown): boolean {
  if (!(error instanceof UpstreamError) || error.rpc === undefined) return false;
  const { code, message } = error.rpc;
  return code === NO_SUCH_METHOD || /method .*(not|unsupported)|unsupported method/i.test(message.slice(0, 300));
}
