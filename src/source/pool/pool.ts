import type { Block } from "../../chain/block/block.ts";
import type { Transaction } from "../../chain/block/transaction.ts";
import type { Bytes, Hash } from "../../chain/encoding/bytes.ts";
import type { ChainError } from "../../chain/error.ts";
import { asChainError, ChainError as Failure } from "../../chain/error.ts";
import type { CallOutcome, ContractCall, Head, RpcQuestion, Source } from "../../chain/source.ts";
import type { UpstreamStatus } from "../../jsonrpc/backend.ts";
import { LruCache } from "../../std/lruCache.ts";
import { withTimeout } from "../../std/withTimeout.ts";
import { isMissing, isOverload, UpstreamError } from "../failure.ts";
import type { Call } from "../jsonRpc.ts";
import type { RetryPolicy } from "../retry.ts";
import { DEFAULT_RETRY, isTransient, Operation } from "../retry.ts";
import type { Upstream } from "../upstream.ts";
import { broadcast } from "./broadcast.ts";
import { Filters } from "./filters.ts";
import { firstAnswer } from "./firstAnswer.ts";
import type { Member } from "./member.ts";
import type { LookOptions } from "./members.ts";
import { Members } from "./members.ts";

export interface PoolOptions extends LookOptions {
  /** Milliseconds without an answer after which another node is asked as well. */
  readonly patience?: number;
  readonly retry?: Partial<RetryPolicy>;
}

/** Of a call that is passed on, while somebody waits for it. */
const PASSING: RetryPolicy = {
  ...DEFAULT_RETRY,
  attempts: 4,
  invalidAttempts: 4,
  unreachedAttempts: 3,
  maxDelayMs: 1000,
  deadlineMs: 15_000,
};

/** Several nodes of one chain as one source: what one cannot answer is asked of another. */
export class Pool implements Source {
  readonly #members: Members;
  readonly #patience: number;
  readonly #retry: RetryPolicy;
  readonly #closing = new AbortController();
  readonly #flights = new Map<string, Promise<string>>();
  readonly #filters: Filters<Member>;

  constructor(upstreams: readonly Upstream[], options: PoolOptions = {}) {
    this.#members = new Members(upstreams, options);
    this.#patience = options.patience ?? 1000;
    this.#retry = { ...DEFAULT_RETRY, ...options.retry };
    const ask = (member: Member, call: Call) => this.#askInTime(member, call);
    this.#filters = new Filters({ members: () => this.#members.ordered(), ask });
  }

  get name(): string {
    return this.#members.all.map(({ upstream }) => upstream.name).join(", ");
  }

  get authoritative(): boolean {
    return this.#members.all.every(({ upstream }) => upstream.authoritative);
  }

  get states(): readonly UpstreamStatus[] {
    return this.#members.states;
  }

  /** The chain that the nodes serve: that of the first that answers. */
  connect(): Promise<number> {
    return this.#each((upstream) => upstream.connect());
  }

  head(): Promise<Head> {
    return this.#isAlone ? this.#each((upstream) => upstream.head()) : this.#members.head();
  }

  hashes(numbers: readonly number[]): Promise<(Hash | undefined)[]> {
    return this.#each((upstream) => upstream.hashes(numbers));
  }

  blocks(from: number, count: number): Promise<Block[]> {
    return this.#each((upstream) => upstream.blocks(from, count), from);
  }

  block(id: number | Bytes): Promise<Block | undefined> {
    return this.#each((upstream) => upstream.block(id));
  }

  transaction(hash: Hash): Promise<{ transaction: Transaction; block?: Block } | undefined> {
    return this.#each((upstream) => upstream.transaction(hash));
  }

  call(calls: readonly ContractCall[], at: Pick<Head, "number" | "hash">): Promise<CallOutcome[]> {
    return this.#each((upstream) => upstream.call(calls, at), at.number);
  }

  request(method: string, params: readonly unknown[], mostBytes?: number): Promise<unknown> {
    return this.#each((upstream) => upstream.request(method, params, mostBytes));
  }

  requests(questions: readonly RpcQuestion[]): Promise<unknown[]> {
    return this.#each((upstream) => upstream.requests(questions));
  }

  /** Nodes behind HTTP say nothing unasked. */
  watch(listener: () => void): void {
    for (const { upstream } of this.#members.all) upstream.watch(listener);
  }

  /**
   * Passes a call on; answers its result as a node spelled it. Who asks the same at one time shares the answer; what sends a
   * transaction goes to all nodes.
   */
  pass(method: string, params: readonly unknown[]): Promise<string> {
    const kind = kindOf(method);
    const call = { method, params };
    if (kind === "sending" && !this.#isAlone) return this.#broadcast(call);
    if (kind === "filter" && !this.#isAlone) return this.#passFilter(call);
    if (kind !== "shared") return this.#passOnce(call);
    const paramsText = JSON.stringify(params);
    const key = `${method} ${paramsText}`;
    const known = this.#flights.get(key);
    if (known !== undefined) return known;
    const flight = this.#passOn({ method, params, paramsText }).finally(() => this.#flights.delete(key));
    this.#flights.set(key, flight);
    return flight;
  }

  /** The answers of all nodes that have one: for what some may have lost. */
  async passToAll(method: string, params: readonly unknown[]): Promise<string[]> {
    const asked = this.#members.answering.map((member) => this.#askInTime(member, { method, params }));
    const settled = await Promise.allSettled(asked);
    return settled.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  }

  async close(): Promise<void> {
    this.#closing.abort(new Failure("upstream_unavailable", "the connections to the nodes were closed"));
    await Promise.all(this.#members.all.map(({ upstream }) => upstream.close()));
  }

  get #isAlone(): boolean {
    return this.#members.all.length === 1;
  }

  /** What may take long is asked of another soon where its node does not answer anything, and else late. */
  get #longWork() {
    const half = this.#patience / 2;
    return { patience: half, longPatience: 4 * this.#patience, onSlow: (member: Member) => member.probe(half) };
  }

  /** Asks one after another, and all again after a while. One that is alone does so itself. */
  async #each<T>(work: (upstream: Upstream) => Promise<T>, need?: number): Promise<T> {
    const ask = (member: Member) => member.ask(work);
    if (this.#isAlone) return ask(this.#members.all[0]!);
    const operation = new Operation(this.#retry, this.#closing.signal, () => {});
    for (;;) {
      try {
        await this.#members.keepLooking();
        const members = this.#members.ordered(need);
        const isFinal = (error: ChainError) => !isTransient(error) && error.code !== "wrong_chain";
        return await firstAnswer({ members, ask, isFinal, ...this.#longWork });
      } catch (error) {
        await operation.pause(error);
      }
    }
  }

  async #passOn(call: Call): Promise<string> {
    if (this.#isAlone) return this.#passAlone(this.#members.all[0]!, call);
    const operation = new Operation(PASSING, this.#closing.signal, () => {});
    const isEmpty = (text: string) => text === "null" && ABSENT_AS_NULL.test(call.method);
    for (let looks = 0; ; ) {
      await this.#members.keepLooking();
      const lacking = new Set<Member>();
      const ask = (member: Member) => this.#askNoting(member, lacking, () => this.#ask(member, call), isEmpty);
      const isBelieved = () => looks === MOST_LOOKS || this.#members.someUp(lacking);
      const members = this.#members.ordered();
      try {
        const patience = this.#patience;
        const text = await firstAnswer({ members, ask, patience, isFinal, isEmpty, isEjected, onSlow });
        if (!isEmpty(text) || isBelieved()) return text;
      } catch (error) {
        const failure = asChainError(error);
        const rpc = failure instanceof UpstreamError ? failure.rpc : undefined;
        if (rpc !== undefined && !isOverload(rpc) && (!isMissing(rpc) || isBelieved())) throw failure;
        if (rpc === undefined || isOverload(rpc)) {
          await operation.pause(failure);
          continue;
        }
      }
      // One that is behind lacks it. Another may have come back meanwhile.
      looks++;
      await this.#members.look();
    }
  }

  /** Asks a node, and takes note of it if it lacks what was asked for. */
  async #askNoting(
    member: Member,
    lacking: Set<Member>,
    ask: () => Promise<string>,
    isEmpty: (text: string) => boolean,
  ): Promise<string> {
    try {
      const text = await ask();
      if (isEmpty(text)) lacking.add(member);
      return text;
    } catch (error) {
      if (error instanceof UpstreamError && error.rpc !== undefined && isMissing(error.rpc)) lacking.add(member);
      throw error;
    }
  }

  /** Nobody else can be asked: what fails for a while is asked again. */
  async #passAlone(member: Member, call: Call): Promise<string> {
    let operation: Operation | undefined;
    for (;;) {
      try {
        return await this.#ask(member, call);
      } catch (error) {
        const failure = asChainError(error);
        const rpc = failure instanceof UpstreamError ? failure.rpc : undefined;
        if (rpc !== undefined && !isOverload(rpc)) throw failure;
        operation ??= new Operation(PASSING, this.#closing.signal, () => {});
        await operation.pause(failure);
      }
    }
  }

  /** What may change something is sent once. */
  async #passOnce(call: Call): Promise<string> {
    await this.#members.keepLooking();
    return this.#ask(this.#members.ordered()[0]!, call);
  }

  async #ask(member: Member, call: Call): Promise<string> {
    const text = await member.ask((upstream) => upstream.pass(call));
    if (call.method === "eth_blockNumber") member.noteHeight(Number(JSON.parse(text)));
    return text;
  }

  /** Asks a node that may have to be given up for another. */
  async #askInTime(member: Member, call: Call): Promise<string> {
    if (this.#isAlone) return this.#ask(member, call);
    return withTimeout(this.#ask(member, call), this.#patience, () => {
      member.noteSlow();
      throw new Failure("upstream_unavailable", `the node at ${member.upstream.name} does not answer`);
    });
  }

  async #broadcast(call: Call): Promise<string> {
    await this.#members.keepLooking();
    const send = (member: Member) => this.#ask(member, call);
    const [members, raw, patience] = [this.#members.ordered(), call.params[0], this.#patience];
    return broadcast({ members, send, raw, patience, isEjected });
  }

  async #passFilter(call: Call): Promise<string> {
    await this.#members.keepLooking();
    return this.#filters.pass(call);
  }
}

/** How often the nodes are looked at anew for what only one that is behind was asked: the first look may have begun before. */
const MOST_LOOKS = 2;

const onSlow = (member: Member) => member.noteSlow();

const isEjected = (member: Member) => member.isEjected;

/** What another node would answer in the same way. One that lacks a method or a block may stand beside one that has it. */
function isFinal(error: ChainError): boolean {
  if (!(error instanceof UpstreamError) || error.rpc === undefined) return error.code === "limit_exceeded";
  return !isOverload(error.rpc) && !isMissing(error.rpc) && error.rpc.code !== -32_601;
}

const SENDING: ReadonlySet<string> = new Set(["eth_sendRawTransaction", "eth_sendRawTransactionSync"]);

const FILTERS = /^eth_(new\w*Filter|getFilter(Changes|Logs)|uninstallFilter)$/;

/** Reads, which may be sent twice and shared. */
const SHARED =
  /^(eth_(get(?!Filter)|call|estimateGas|gasPrice|maxPriority|feeHistory|block|baseFee|chainId|blobBaseFee|createAccess|simulate|syncing|config|capabilities|fill|mining|hashrate|coinbase)|net_|web3_|debug_(trace|get)|trace_|txpool_)/;

type Kind = "sending" | "filter" | "shared" | "other";

const kinds = new LruCache<string, Kind>(1000);

function kindOf(method: string): Kind {
  const known = kinds.get(method);
  if (known !== undefined) return known;
  const shared = SHARED.test(method) ? "shared" : "other";
  const kind = SENDING.has(method) ? "sending" : FILTERS.test(method) ? "filter" : shared;
  kinds.set(method, kind);
  return kind;
}

/** What one node may have already and another not yet. */
const ABSENT_AS_NULL = /^eth_get(Block|Transaction|Uncle|RawTransaction|BlobSidecar)/;
