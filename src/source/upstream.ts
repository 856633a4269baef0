import type { Block } from "../chain/block/block.ts";
import type { Transaction } from "../chain/block/transaction.ts";
import { decodeTransaction } from "../chain/block/transaction.ts";
import type { Bytes, Hash } from "../chain/encoding/bytes.ts";
import { toHex } from "../chain/encoding/hex.ts";
import type { Wire } from "../chain/encoding/wire.ts";
import { expectSame, invalid, readObject, WireReader } from "../chain/encoding/wire.ts";
import type { ErrorCode } from "../chain/error.ts";
import { asChainError, ChainError } from "../chain/error.ts";
import type { CallOutcome, ContractCall, Head, RpcQuestion, Source } from "../chain/source.ts";
import type { PortClient } from "../jsonrpc/port.ts";
import { readHash } from "./blockAnswer.ts";
import { BlockReader, hashAt } from "./blocks.ts";
import { ContractCaller } from "./calls.ts";
import type { Counters, Question } from "./client.ts";
import { Client } from "./client.ts";
import type { Peer } from "./endpoint.ts";
import { parseEndpoint } from "./endpoint.ts";
import { closedFailure, malformed, UpstreamError } from "./failure.ts";
import type { NewestBlock } from "./headReader.ts";
import { HeadReader, SETTLED_MILLISECONDS } from "./headReader.ts";
import type { Transport } from "./http/transport.ts";
import { HttpTransport } from "./http/transport.ts";
import type { Call } from "./jsonRpc.ts";
import { PortTransport } from "./portTransport.ts";
import { resultProblem } from "./resultForms.ts";
import { MAX_ANSWER_BYTES } from "./resultSizes.ts";
import type { RetryPolicy } from "./retry.ts";
import { DEFAULT_RETRY, Operation } from "./retry.ts";

type Where =
  | {
      readonly url: string;
      readonly sockets?: number;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly port: PortClient };

export type UpstreamOptions = Where & {
  /** Expected chain id; undefined accepts the first one seen. */
  readonly chainId?: number;
  readonly authoritative?: boolean;
  readonly timeoutMs?: number;
  readonly bodyTimeoutMs?: number;
  readonly maxBytes?: number;
  /** Whether forwarded results must match their schema; true by default. */
  readonly checksResults?: boolean;
  /** Minimum interval between queries for safe and finalized blocks. */
  readonly settledMs?: number;
  readonly retry?: Partial<RetryPolicy>;
};

interface UpstreamMetrics {
  readonly requests: number;
  readonly retries: number;
  readonly bytesReceived: number;
  readonly failures: Readonly<Partial<Record<ErrorCode, number>>>;
}

/** A JSON-RPC node. Connects lazily. */
export class Upstream implements Source {
  readonly name: string;
  readonly authoritative: boolean;
  readonly #peer: Peer;
  readonly #transport: Transport;
  readonly #port: PortClient | undefined;
  readonly #client: Client;
  readonly #blocks: BlockReader;
  readonly #caller: ContractCaller;
  readonly #retry: RetryPolicy;
  readonly #maxBytes: number;
  readonly #checksResults: boolean;
  readonly #closing = new AbortController();
  readonly #counters: Counters = { requests: 0, retries: 0, bytesReceived: 0, failures: {} };
  readonly #heads: HeadReader;
  #newest: Promise<NewestBlock> | undefined;

  constructor(options: UpstreamOptions) {
    this.authoritative = options.authoritative ?? false;
    this.#retry = { ...DEFAULT_RETRY, ...options.retry };
    const { maxBytes = MAX_ANSWER_BYTES, chainId } = options;
    this.#maxBytes = maxBytes;
    this.#checksResults = options.checksResults ?? true;
    [this.#peer, this.#transport] = openTransport(options);
    this.#port = "port" in options ? options.port : undefined;
    this.name = this.#peer.name;
    const settings = { maxBytes, counters: this.#counters, ...(chainId !== undefined && { chainId }) };
    this.#client = new Client(this.#peer, this.#transport, settings);
    this.#blocks = new BlockReader(this.#client);
    this.#caller = new ContractCaller(this.#client);
    const settledMilliseconds = options.settledMs ?? ("port" in options ? 0 : SETTLED_MILLISECONDS);
    this.#heads = new HeadReader(this.#client, { isAuthoritative: this.authoritative, settledMilliseconds });
  }

  get chainId(): number | undefined {
    return this.#client.chainId;
  }

  get metrics(): UpstreamMetrics {
    return this.#counters;
  }

  connect(): Promise<number> {
    return this.#run((operation) => this.#client.connect(operation));
  }

  async head(): Promise<Head> {
    return (await this.newest()).head;
  }

  /** The head and its link to the block below. */
  newest(): Promise<NewestBlock> {
    this.#newest ??= this.#run((operation) => this.#heads.read(operation)).finally(() => {
      this.#newest = undefined;
    });
    return this.#newest;
  }

  hashes(numbers: readonly number[]): Promise<(Hash | undefined)[]> {
    return this.#run((operation) => this.#client.ask(numbers.map(hashAt), operation));
  }

  blocks(from: number, count: number): Promise<Block[]> {
    return this.#run((operation) => this.#blocks.range(from, count, operation));
  }

  block(id: number | Bytes): Promise<Block | undefined> {
    return this.#run((operation) => this.#blocks.one(id, operation));
  }

  transaction(hash: Hash): Promise<{ transaction: Transaction; block?: Block } | undefined> {
    return this.#run((operation) => this.#readTransaction(toHex(hash), operation));
  }

  async call(calls: readonly ContractCall[], at: Pick<Head, "number" | "hash">): Promise<CallOutcome[]> {
    const outcomes = await this.#run((operation) => this.#caller.call(calls, at, operation));
    return outcomes.map((outcome) => (outcome instanceof ChainError ? this.#surface(outcome) : outcome));
  }

  async request(method: string, params: readonly unknown[], maxBytes?: number): Promise<unknown> {
    const policy = REPEATABLE.test(method) ? this.#retry : { ...this.#retry, attempts: 1 };
    const question = { method, params, read: (result: unknown) => result, ...(maxBytes && { maxBytes }) };
    const [result] = await this.#run((operation) => this.#client.ask([question], operation), policy);
    return result;
  }

  /** Sends once and returns the result verbatim. */
  async pass(call: Call): Promise<string> {
    try {
      const { text, value } = await this.#client.pass(call, this.#maxBytes);
      const problem = this.#checksResults ? resultProblem(call.method, value) : undefined;
      if (problem !== undefined) throw malformed(this.#peer, problem);
      return text;
    } catch (error) {
      throw this.#surface(asChainError(error));
    }
  }

  requests(questions: readonly RpcQuestion[]): Promise<unknown[]> {
    const asked = questions.map((question) => ({ ...question, read: (result: unknown) => result }));
    return this.#run((operation) => this.#client.ask(asked, operation));
  }

  /** HTTP nodes announce nothing. */
  watch(listener: () => void): void {
    this.#port?.watch(listener);
  }

  async close(): Promise<void> {
    this.#closing.abort(closedFailure(this.#peer));
    this.#transport.close();
  }

  async #run<T>(work: (operation: Operation) => Promise<T>, policy = this.#retry): Promise<T> {
    const operation = new Operation(policy, this.#closing.signal, () => {
      this.#counters.retries++;
    });
    try {
      return await work(operation);
    } catch (error) {
      throw this.#surface(asChainError(error));
    }
  }

  /** Redacts the message: a node may echo the key it was called with. */
  #surface(error: ChainError): ChainError {
    const { failures } = this.#counters;
    failures[error.code] = (failures[error.code] ?? 0) + 1;
    const message = this.#peer.redact(error.message);
    if (message === error.message) return error;
    return error instanceof UpstreamError
      ? new UpstreamError(error.code, message, error)
      : new ChainError(error.code, message);
  }

  async #readTransaction(hash: string, operation: Operation) {
    for (;;) {
      const [wire] = await this.#client.ask([transactionQuestion(hash)], operation);
      if (wire === undefined) return undefined;
      if (wire.blockHash === null || wire.blockHash === undefined) {
        return { transaction: decodeTransaction(wire, new WireReader()) };
      }
      try {
        return await this.#readMined(hash, readHash(wire.blockHash), operation);
      } catch (error) {
        await operation.pause(error);
      }
    }
  }

  async #readMined(hash: string, blockHash: Hash, operation: Operation) {
    const block = await this.#blocks.one(blockHash, operation);
    if (block === undefined) {
      throw new ChainError("upstream_unavailable", `the node has no block ${toHex(blockHash)} of transaction ${hash}`);
    }
    const transaction = block.transactions.find((candidate) => toHex(candidate.hash) === hash);
    if (transaction === undefined) throw invalid("block.transactions", toHex(blockHash), `transaction ${hash} in it`);
    return { transaction, block };
  }
}

function openTransport(options: UpstreamOptions): [Peer, Transport] {
  const { timeoutMs = 20_000, bodyTimeoutMs = 60_000 } = options;
  if ("port" in options) {
    const peer = { name: `embedded chain ${options.chainId ?? ""}`.trim(), redact: (text: string) => text };
    return [peer, new PortTransport(peer, options.port, timeoutMs)];
  }
  const endpoint = parseEndpoint(options.url, options.headers);
  return [endpoint, new HttpTransport(endpoint, { timeoutMs, bodyTimeoutMs, sockets: options.sockets ?? 8 })];
}

/** Reads. Calls that send or change something are never repeated. */
const REPEATABLE =
  /^(eth_(get(?!Filter)|call|estimateGas|gasPrice|maxPriority|feeHistory|block|chainId|blobBaseFee|createAccess|simulate|syncing)|net_|web3_|debug_(trace|get)|trace_|txpool_)/;

function transactionQuestion(hash: string): Question<Wire | undefined> {
  const read = (result: unknown) => {
    if (result === null) return undefined;
    const wire = readObject(result, "transaction");
    expectSame(wire.hash ?? null, hash, "transaction.hash");
    return wire;
  };
  return { method: "eth_getTransactionByHash", params: [hash], read };
}
