import type { Block } from "../../chain/block/block.ts";
import type { Transaction } from "../../chain/block/transaction.ts";
import type { Bytes, Hash } from "../../chain/encoding/bytes.ts";
import type { ChainError } from "../../chain/error.ts";
import { asChainError, ChainError as Failure } from "../../chain/error.ts";
import type { CallOutcome, ContractCall, Head, RpcQuestion, Source } from "../../chain/source.ts";
import type { UpstreamStatus } from "../../jsonrpc/backend.ts";
import { isObject } from "../../std/isObject.ts";
import { withTimeout } from "../../std/withTimeout.ts";
import { isMissing, isOverload, UpstreamError } from "../failure.ts";
import type { Call } from "../jsonRpc.ts";
import type { RetryPolicy } from "../retry.ts";
import { DEFAULT_RETRY, isTransient, Operation } from "../retry.ts";
import type { Upstream } from "../upstream.ts";
import { AnswerChecks } from "./answerChecks.ts";
import { BlockVetting } from "./blockVetting.ts";
import { broadcast } from "./broadcast.ts";
import { Filters } from "./filters.ts";
import { firstAnswer } from "./firstAnswer.ts";
import type { Member } from "./member.ts";
import type { LookOptions } from "./members.ts";
import { Members } from "./members.ts";
import { ABSENT_AS_NULL, kindOf } from "./methodKinds.ts";

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
  readonly #vetting: BlockVetting;
  readonly #checks: AnswerChecks;

  constructor(upstreams: readonly Upstream[], options: PoolOptions = {}) {
    this.#members = new Members(upstreams, options);
    this.#patience = options.patience ?? 1000;
    this.#retry = { ...DEFAULT_RETRY, ...options.retry };
    this.#vetting = new BlockVetting((member) => this.#members.answering.filter((other) => other !== member));
    this.#checks = new AnswerChecks(this.#vetting);
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

  async blocks(from: number, count: number): Promise<Block[]> {
    const { value, member } = await this.#eachGiven((upstream) => upstream.blocks(from, count), from);
    return this.#isVetting ? this.#vetting.vet(value, member) : value;
  }

  async block(id: number | Bytes): Promise<Block | undefined> {
    const { value, member } = await this.#eachGiven((upstream) => upstream.block(id));
    return value !== undefined && this.#isVetting ? this.#vetting.vetOne(value, member) : value;
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
    const flight = this.#passShared({ method, params, paramsText }).finally(() => this.#flights.delete(key));
    this.#flights.set(key, flight);
    return flight;
  }

  /** Takes note of what another pool of the same nodes has found of one of them, or that it is over. */
  report(at: number, reason: string | undefined): void {
    this.#members.all[at]?.trust.report(reason);
  }

  forgetReports(): void {
    for (const { trust } of this.#members.all) trust.report(undefined);
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

  /** Development nodes break checks, and one that is alone is judged by the indexer. */
  get #isVetting(): boolean {
    return !this.#isAlone && !this.authoritative;
  }

  /** What `#each` answers, with the node that gave it. */
  #eachGiven<T>(work: (upstream: Upstream) => Promise<T>, need?: number): Promise<{ value: T; member: Member }> {
    return this.#each(async (upstream, member) => ({ value: await work(upstream), member }), need);
  }

  /** Asks one after another, and all again after a while. One that is alone does so itself. */
  async #each<T>(work: (upstream: Upstream, member: Member) => Promise<T>, need?: number): Promise<T> {
    const ask = (member: Member) => member.ask((upstream) => work(upstream, member));
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

  async #passShared(call: Call): Promise<string> {
    if (this.#isAlone) return this.#passAlone(this.#members.all[0]!, call);
    const text = await this.#passOn(call);
    const isLatest = call.method === "eth_getBlockByNumber" && call.params[0] === "latest";
    if (this.authoritative || (call.method !== "eth_blockNumber" && !isLatest)) return text;
    const value: unknown = JSON.parse(text);
    const agreed = await this.#members.agreeOn(Number(isObject(value) ? value.number : value));
    if (agreed === undefined) return text;
    return isLatest ? this.#passOn({ ...call, params: [agreed, ...call.params.slice(1)] }) : JSON.stringify(agreed);
  }

  async #passOn(call: Call): Promise<string> {
    const operation = new Operation(PASSING, this.#closing.signal, () => {});
    const isEmpty = (text: string) => text === "null" && ABSENT_AS_NULL.test(call.method);
    for (let looks = 0; ; ) {
      await this.#members.keepLooking();
      const lacking = new Set<Member>();
      const ask = (member: Member) => this.#askNoting(member, lacking, () => this.#askChecked(member, call), isEmpty);
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

  #ask(member: Member, call: Call): Promise<string> {
    return member.ask((upstream) => upstream.pass(call));
  }

  /** Asks a node; what it shows of a block must be what the block commits to. */
  async #askChecked(member: Member, call: Call): Promise<string> {
    const text = await this.#ask(member, call);
    const problem = this.#isVetting ? await this.#problemOf(member, call, text) : undefined;
    if (problem === undefined) return text;
    const isOver = async () => (await this.#problemOf(member, call, await this.#ask(member, call))) === undefined;
    member.trust.blame(problem, isOver);
    throw new UpstreamError("upstream_invalid", `the node at ${member.upstream.name} gave false data: ${problem}`);
  }

  async #problemOf(member: Member, call: Call, text: string): Promise<string | undefined> {
    return this.#checks.covers(call.method) ? this.#checks.problemOf(call, JSON.parse(text), member) : undefined;
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
