import { hash } from "node:crypto";
import type { Block } from "../../chain/block/block.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY, equalBytes } from "../../chain/encoding/bytes.ts";
import { fromHex, quantity, toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { WireReader } from "../../chain/encoding/wire.ts";
import { ChainError } from "../../chain/error.ts";
import type { CallOutcome, ContractCall, Head, Source } from "../../chain/source.ts";
import { isReverted } from "../../source/calls.ts";
import { UpstreamError } from "../../source/failure.ts";
import { StateClient } from "../../source/stateClient.ts";
import { withTimeout } from "../../std/async.ts";
import { isObject } from "../../std/values.ts";
import type { HeadWatch } from "./headWatch.ts";

interface ReadThroughOptions {
  readonly max?: number;
  readonly deadline?: number;
}

export interface CallQuestion {
  readonly to: Bytes;
  readonly data: Bytes;
  readonly from?: Bytes | undefined;
}

/** Revert data may be empty if the node omits it. */
export type CallReturn = { readonly returned: Bytes } | { readonly reverted: Bytes };

export interface StateQuestion {
  readonly method: "eth_getBalance" | "eth_getCode" | "eth_getStorageAt" | "eth_getTransactionCount";
  readonly params: readonly string[];
}

type At = Pick<Head, "number" | "hash">;

export type SourceTransaction = NonNullable<Awaited<ReturnType<Source["transaction"]>>>;

/** Larger traces would block the event loop while parsing. */
export const MAX_TRACE = 1 << 20;

export const MAX_POOL = 4 << 20;

/** Return or revert data. */
const MAX_RETURNED = 1 << 20;

/** Milliseconds for which a state counts as unchanged on a development chain. */
const SAME_STATE = 1000;

/** The head is up to a second old, so a block this far above may exist. */
const HEAD_SLACK = 16;

/** Requests to the node for data beyond the index. Deduplicates concurrent requests and limits their number. */
export class ReadThrough {
  readonly #source: Source;
  readonly #head: HeadWatch;
  readonly #max: number;
  readonly #deadline: number;
  readonly #client: StateClient;
  #headChanges = 0;
  readonly #flights = new Map<string, Promise<unknown>>();

  constructor(source: Source, head: HeadWatch, options: ReadThroughOptions = {}) {
    this.#source = source;
    this.#head = head;
    this.#client = new StateClient(source);
    this.#max = options.max ?? 16;
    this.#deadline = options.deadline ?? 5000;
    source.watch?.(() => this.#headChanges++);
  }

  async block(id: number | Bytes): Promise<Block | undefined> {
    if (typeof id === "number" && (await this.#isFarAbove(id))) return undefined;
    const name = typeof id === "number" ? String(id) : toHex(id);
    const block = await this.#share(`block ${name}`, () => this.#source.block(id));
    if (block !== undefined && !isBlock(block, id)) {
      throw new ChainError("upstream_invalid", `asked for block ${name}, the node sent another`);
    }
    return block;
  }

  async transaction(id: Bytes): Promise<SourceTransaction | undefined> {
    const found = await this.#share(`transaction ${toHex(id)}`, () => this.#source.transaction(id));
    if (found !== undefined && !equalBytes(found.transaction.hash, id)) {
      throw new ChainError("upstream_invalid", `asked for transaction ${toHex(id)}, the node sent another`);
    }
    return found;
  }

  /**
   * Reads of a state within an epoch agree. A development chain may change a state without a block, which starts a new
   * epoch.
   */
  get epoch(): string {
    const age = this.#source.authoritative ? Math.floor(performance.now() / SAME_STATE) : 0;
    return `${this.#headChanges} ${age}`;
  }

  stateName({ hash }: At): string {
    return `${toHex(hash)} ${this.epoch}`;
  }

  calls(calls: readonly ContractCall[], at: At): Promise<CallOutcome[]> {
    const asked = hash("sha1", Buffer.concat(calls.flatMap(({ to, data }) => [to, data])));
    return this.#share(`calls ${this.stateName(at)} ${asked}`, () => this.#source.call(calls, at));
  }

  /** On the state after a block, with the node's gas limit. */
  call({ to, data, from }: CallQuestion, at: At): Promise<CallReturn> {
    const call = { to: toHex(to), data: toHex(data), ...(from && { from: toHex(from) }) };
    const asked = hash("sha1", JSON.stringify(call));
    return this.#share(`call ${this.stateName(at)} ${asked}`, () =>
      this.#client.askAt(at, async (block) => {
        try {
          const returned = await this.#source.request("eth_call", [call, block], 2 * MAX_RETURNED + 1000);
          return { returned: new WireReader().bytes(returned, "eth_call") };
        } catch (error) {
          const reverted = revertIn(error);
          if (reverted === undefined) throw error;
          return { reverted };
        }
      }),
    );
  }

  /** By block hash (EIP-1898) or, if the node rejects that, by number. */
  state(questions: readonly StateQuestion[], at: At): Promise<unknown[]> {
    return this.#share(`state ${this.stateName(at)} ${JSON.stringify(questions)}`, () => this.#askState(questions, at));
  }

  newestCode(address: Bytes): Promise<unknown> {
    const account = toHex(address);
    return this.#share(`newest code ${account}`, () => this.#source.request("eth_getCode", [account, "latest"]));
  }

  /** At the blocks currently at these heights. */
  codes(address: Bytes, heights: readonly number[]): Promise<unknown[]> {
    const account = toHex(address);
    const questions = heights.map((height) => ({ method: "eth_getCode", params: [account, quantity(height)] }));
    return this.#share(`codes ${account} ${heights}`, () => this.#source.requests(questions));
  }

  trace(id: Bytes, depth: "top" | "whole"): Promise<unknown> {
    const config = { tracer: "callTracer", tracerConfig: { onlyTopCall: depth === "top" } };
    return this.#share(`trace ${depth} ${toHex(id)}`, () =>
      this.#source.request("debug_traceTransaction", [toHex(id), config], MAX_TRACE),
    );
  }

  traceBlock(block: Bytes): Promise<unknown> {
    return this.#share(`trace block ${toHex(block)}`, () =>
      this.#source.request("debug_traceBlockByHash", [toHex(block), { tracer: "callTracer" }], MAX_TRACE),
    );
  }

  poolStatus(): Promise<unknown> {
    return this.#share("pool", () => this.#source.request("txpool_status", []));
  }

  poolContent(): Promise<unknown> {
    return this.#share("pool content", () => this.#source.request("txpool_content", [], MAX_POOL));
  }

  traceWith(id: Bytes, tracer: "flatCallTracer" | "prestateTracer", tracerConfig: object): Promise<unknown> {
    return this.#share(`trace ${tracer} ${JSON.stringify(tracerConfig)} ${toHex(id)}`, () =>
      this.#source.request("debug_traceTransaction", [toHex(id), { tracer, tracerConfig }], MAX_TRACE),
    );
  }

  /** At the blocks currently at these heights. */
  async balancesAt(address: Bytes, heights: readonly number[]): Promise<bigint[]> {
    const account = toHex(address);
    const questions = heights.map((height) => ({ method: "eth_getBalance", params: [account, quantity(height)] }));
    const asked = `balances ${account} ${this.epoch} ${heights}`;
    const answers = await this.#share(asked, () => this.#source.requests(questions));
    return answers.map((answer) => uintToBigInt(new WireReader().uint(answer, "balance")));
  }

  /** Null if the node has none. */
  sidecar(id: Bytes): Promise<unknown> {
    return this.#share(`sidecar ${toHex(id)}`, () =>
      this.#source.request("eth_getBlobSidecarByTxHash", [toHex(id), true]),
    );
  }

  #askState(questions: readonly StateQuestion[], at: At): Promise<unknown[]> {
    return this.#client.askAt(at, (block) =>
      this.#source.requests(questions.map(({ method, params }) => ({ method, params: [...params, block] }))),
    );
  }

  async #isFarAbove(number: number): Promise<boolean> {
    const head = await this.#head.current();
    return head !== null && number > head.number + HEAD_SLACK;
  }

  #share<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#flights.get(key);
    if (known !== undefined) return known as Promise<T>;
    if (this.#flights.size >= this.#max) {
      return Promise.reject(new ChainError("upstream_unavailable", "too many questions to the node at one time"));
    }
    const flight = this.#withDeadline(ask).finally(() => this.#flights.delete(key));
    this.#flights.set(key, flight);
    return flight;
  }

  async #withDeadline<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await withTimeout(ask(), this.#deadline, () => {
        throw new ChainError("upstream_unavailable", "the node did not answer in time");
      });
    } catch (cause) {
      if (cause instanceof ChainError) throw cause;
      throw new ChainError("upstream_unavailable", "the node failed", { cause });
    }
  }
}

/** Undefined if it failed otherwise. Nodes differ in where they put the data. */
function revertIn(error: unknown): Bytes | undefined {
  if (!(error instanceof UpstreamError) || error.rpc === undefined || !isReverted(error.rpc)) return undefined;
  const { data } = error.rpc;
  const found = isObject(data) ? data.data : data;
  return typeof found === "string" && /^0x([\da-f]{2})*$/i.test(found) ? fromHex(found) : EMPTY;
}

/** For states that may be pruned: a refusal is undefined, other errors are thrown. */
export function undefinedIfRejected(error: unknown): undefined {
  if (!(error instanceof ChainError) || error.code !== "upstream_rejected") throw error;
}

function isBlock({ header }: Block, id: number | Bytes): boolean {
  return typeof id === "number" ? header.number === id : equalBytes(header.hash, id);
}
