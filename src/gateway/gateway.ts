import type { Bytes } from "../chain/encoding/bytes.ts";
import { quantity } from "../chain/encoding/hex.ts";
import type { ChainError } from "../chain/error.ts";
import { asChainError } from "../chain/error.ts";
import type { RpcBackend, UpstreamStatus } from "../jsonrpc/backend.ts";
import { JsonText, respond } from "../jsonrpc/envelope.ts";
import type { ResponseBody } from "../jsonrpc/responseBody.ts";
import { RPC, RpcError } from "../jsonrpc/rpcError.ts";
import { logBoundsOf } from "../node/logs/logRange.ts";
import { CanonicalHeight } from "../query/node/canonicalHeight.ts";
import { UpstreamError } from "../source/failure.ts";
import { isObject } from "../std/values.ts";
import type { BlobStore } from "../store/blobStore.ts";
import type { StoreReader } from "../store/storeReader.ts";
import { AnswerCache } from "./answerCache.ts";
import { checkBlobFormat } from "./blobFormat.ts";
import { CallCounts } from "./callCounts.ts";
import { FinalizedHeight } from "./finalizedHeight.ts";
import { LogFilters } from "./logFilters.ts";
import type { Caller, Handler, MethodSettings } from "./methodTable.ts";
import { GATEWAY_METHODS, handlerFor } from "./methodTable.ts";
import { ResponseShapes } from "./responseShapes.ts";
import type { Call, StoredAnswer } from "./storedAnswers.ts";
import { readStored } from "./storedAnswers.ts";
import { StoredBlobs } from "./storedBlobs.ts";
import type { LogRequest } from "./storedLogs.ts";
import { getLogs } from "./storedLogs.ts";

interface Upstreams {
  /** The node's result verbatim. Throws `UpstreamError` if the node returns an error. */
  pass(method: string, params: readonly unknown[]): Promise<string>;
  readonly states: readonly UpstreamStatus[];
  /** Results of all nodes that return one. */
  passToAll(method: string, params: readonly unknown[]): Promise<readonly string[]>;
}

export interface GatewayOptions extends MethodSettings {
  readonly chainId: number;
  readonly upstreams: Upstreams;
  readonly store: StoreReader;
  /** Without an archive, blobs are fetched from the nodes. */
  readonly blobs?: Pick<BlobStore, "read"> | undefined;
  /** Whether EIP-7594 transactions are forwarded as well as EIP-4844 ones. */
  readonly acceptsCellProofs: boolean;
  /** Disables the limit on the block range of log queries. */
  readonly unboundedLogs: boolean;
  /** Receives internal errors, which are hidden from callers. */
  readonly onError?: (error: unknown) => void;
}

const BATCH_TIME = 30_000;

export const BATCH_CALLS = 8;

/** JSON-RPC in front of nodes: answers from the index where possible and forwards the rest. */
export class Gateway implements RpcBackend {
  readonly #options: GatewayOptions;
  readonly #shapes = new ResponseShapes();
  readonly #filters = new LogFilters();
  readonly #blobs: StoredBlobs;
  readonly #counts = new CallCounts();
  readonly #cache: AnswerCache;
  readonly #canonical: CanonicalHeight;

  constructor(options: GatewayOptions) {
    this.#options = options;
    const { store, blobs, upstreams } = options;
    const pass = (method: string, params: readonly unknown[]) => this.#pass(method, params);
    const passToAll = (method: string, params: readonly unknown[]) => upstreams.passToAll(method, params);
    this.#canonical = new CanonicalHeight(store, (numbers) => readHashes(upstreams, numbers));
    const canonical = () => this.#canonical.current();
    this.#blobs = new StoredBlobs({ store, blobs, canonical, pass, passToAll });
    const finalized = new FinalizedHeight(() => upstreams.pass("eth_getBlockByNumber", ["finalized", false]));
    this.#cache = new AnswerCache(finalized, async () => {
      await this.#canonical.current();
      return this.#canonical.reorgs;
    });
  }

  status() {
    return { upstreams: this.#options.upstreams.states, calls: this.#counts.all };
  }

  handle(body: string, isTrusted: boolean, signal?: AbortSignal): Promise<ResponseBody | undefined> {
    const deadline = performance.now() + BATCH_TIME;
    const isOver = () => signal?.aborted === true || performance.now() >= deadline;
    const onInternal = (error: unknown) => this.#options.onError?.(error);
    const answer = (method: string, params: unknown[]) => this.#answer(method, params, { isTrusted });
    return respond(body, answer, { isOver, onInternal, concurrency: BATCH_CALLS });
  }

  async #answer(method: string, params: readonly unknown[], caller: Caller): Promise<unknown> {
    const place = handlerFor(method, caller, this.#options);
    if (place === undefined) {
      this.#counts.add("other", "none", "refused");
      throw unknownMethod(method);
    }
    try {
      const result = await this.#answerAt(place, method, params);
      this.#counts.add(method, place, "answered");
      return result;
    } catch (error) {
      this.#counts.add(method, place, "refused");
      throw error;
    }
  }

  async #answerAt(place: Handler, method: string, params: readonly unknown[]): Promise<unknown> {
    // Unexpected parameters are forwarded, so that the node rejects them.
    if (place === "gateway" && (params.length === 0 || !NODE_IDS.has(method))) return this.#answerHere(method);
    if (SENDING.has(method)) this.#checkSent(params);
    if (place === "store") return this.#fromStore(method, params);
    // A development node may change the state after a block.
    if (place !== "cache" || this.#options.isDevelopment) return this.#passNoted(method, params);
    const ask = async () => (await this.#pass(method, params)).text;
    return new JsonText(await this.#cache.get(method, params, ask));
  }

  async #fromStore(method: string, params: readonly unknown[]): Promise<unknown> {
    if (method === "eth_getLogs") return this.#getLogs({ method, params, passOn: () => this.#pass(method, params) });
    if (method === "eth_getFilterLogs") return this.#getFilterLogs(method, params);
    if (method === "eth_getBlobSidecars") return this.#blobs.ofBlock(params);
    if (method === "eth_getBlobSidecarByTxHash") return this.#blobs.ofTransaction(params);
    const stored = await this.#readStored({ method, params });
    if (stored === undefined) return this.#pass(method, params);
    if ("value" in stored) return stored.value;
    const isOne = "record" in stored;
    const presented = isOne ? this.#shapes.present(stored.record) : this.#shapes.presentEach(stored.records);
    return presented ?? this.#learn(method, params, stored);
  }

  /** Reads the index on the node's branch. A miss does not wait for the node's head. */
  async #readStored(call: Call): Promise<StoredAnswer | undefined> {
    const { store } = this.#options;
    const [isFresh, known] = [this.#canonical.isFresh, this.#canonical.known];
    const stored = await readStored(store, call, isFresh ? known : Number.POSITIVE_INFINITY);
    if (stored === undefined || isFresh) return stored;
    return readStored(store, call, await this.#canonical.current());
  }

  #getLogs(request: LogRequest): Promise<JsonText> {
    const { store, chainId, unboundedLogs } = this.#options;
    const pass = (method: string, passed: readonly unknown[]) => this.#pass(method, passed);
    const canonical = () => this.#canonical.current();
    const bounds = logBoundsOf(chainId, unboundedLogs);
    return getLogs({ store, shapes: this.#shapes, bounds, canonical, pass }, request);
  }

  /** Filters that were not created through this gateway are forwarded, so that the node rejects them. */
  #getFilterLogs(method: "eth_getFilterLogs", params: readonly unknown[]): Promise<JsonText> {
    const passOn = () => this.#pass(method, params);
    const query = params.length === 1 ? this.#filters.paramsOf(params[0]) : undefined;
    return query === undefined ? passOn() : this.#getLogs({ method, params: query, passOn });
  }

  /** Forwards the call and learns the node's field selection from the result. */
  async #learn(method: string, params: readonly unknown[], stored: Exclude<StoredAnswer, { value: unknown }>) {
    const isOne = "record" in stored;
    const records = isOne ? [stored.record] : stored.records;
    try {
      const passed = await this.#pass(method, params);
      const answered: unknown = JSON.parse(passed.text);
      const items = isOne || !Array.isArray(answered) ? [answered] : (answered as unknown[]);
      for (const [at, record] of records.entries()) this.#shapes.observe(record, items[at]);
      return passed;
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== RPC.internal) throw error;
      const all = records.map((record) => this.#shapes.presentAsGeth(record));
      return isOne ? all[0] : all;
    }
  }

  #answerHere(method: string): unknown {
    const { chainId } = this.#options;
    if (method === "eth_chainId") return `0x${chainId.toString(16)}`;
    if (method === "net_version") return String(chainId);
    return method === "eth_accounts" ? [] : MODULES;
  }

  #checkSent(params: readonly unknown[]): void {
    if (!this.#options.acceptsCellProofs) checkBlobFormat(params[0]);
  }

  async #passNoted(method: string, params: readonly unknown[]): Promise<JsonText> {
    const passed = await this.#pass(method, params);
    this.#filters.note(method, params, passed);
    if (method === "eth_blockNumber") this.#canonical.noteHeight(Number(JSON.parse(passed.text)));
    if (!Object.hasOwn(GATEWAY_METHODS, method)) this.#canonical.expire();
    return passed;
  }

  async #pass(method: string, params: readonly unknown[]): Promise<JsonText> {
    try {
      return new JsonText(await this.#options.upstreams.pass(method, params));
    } catch (error) {
      throw asRpcError(asChainError(error));
    }
  }
}

function readHashes(upstreams: Upstreams, numbers: readonly number[]): Promise<(Bytes | undefined)[]> {
  return Promise.all(
    numbers.map(async (number) => {
      const block: unknown = JSON.parse(await upstreams.pass("eth_getBlockByNumber", [quantity(number), false]));
      return isObject(block) && typeof block.hash === "string" ? Buffer.from(block.hash.slice(2), "hex") : undefined;
    }),
  );
}

const NODE_IDS: ReadonlySet<string> = new Set(["eth_chainId", "net_version"]);

const SENDING: ReadonlySet<string> = new Set(["eth_sendRawTransaction", "eth_sendRawTransactionSync"]);

const MODULES = { eth: "1.0", net: "1.0", rpc: "1.0", web3: "1.0" } as const;

function unknownMethod(method: string): RpcError {
  const isSubscription = method === "eth_subscribe" || method === "eth_unsubscribe";
  const why = isSubscription ? ": there are no subscriptions, poll with eth_newFilter or eth_getLogs" : "";
  return new RpcError(RPC.methodNotFound, `the method ${method.slice(0, 100)} does not exist/is not available${why}`);
}

/** A node's error is passed on verbatim; an unreachable node is an error that clients retry. */
function asRpcError(error: ChainError): RpcError | ChainError {
  if (error instanceof UpstreamError && error.rpc !== undefined) {
    return new RpcError(error.rpc.code, error.rpc.message, error.rpc.data);
  }
  if (error.code === "limit_exceeded") return new RpcError(RPC.responseTooLarge, "response too large");
  if (error.code === "upstream_invalid") return new RpcError(RPC.internal, "the node sent a malformed result");
  return error.code === "internal" ? error : new RpcError(RPC.internal, "the node cannot be reached or is overloaded");
}
