import type { Block } from "../../chain/block/block.ts";
import type { Transaction } from "../../chain/block/transaction.ts";
import type { Bytes, Hash } from "../../chain/encoding/bytes.ts";
import { quantity } from "../../chain/encoding/hex.ts";
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
import { isStateMethod, STATE_METHODS } from "../stateMethods.ts";
import type { Upstream } from "../upstream.ts";
import { AnswerChecks } from "./answerChecks.ts";
import { BlockVetting } from "./blockVetting.ts";
import { broadcast } from "./broadcast.ts";
import { Filters } from "./filters.ts";
import { firstAnswer } from "./firstAnswer.ts";
import type { Member } from "./member.ts";
import type { LookOptions } from "./members.ts";
import { LOOK_PATIENCE, Members } from "./members.ts";
import { ABSENT_AS_NULL, kindOf } from "./methodKinds.ts";
import { askQuorum } from "./quorum.ts";

export interface PoolOptions extends LookOptions {
  /** Milliseconds without an answer after which another node is asked as well. */
  readonly patience?: number;
  readonly retry?: Partial<RetryPolicy>;
  /** How many nodes must give the same answer about the state; one unless given. */
  readonly quorum?: number | undefined;
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
  readonly #quorum: number;
  readonly #retry: RetryPolicy;
  readonly #closing = new AbortController();
  readonly #flights = new Map<string, Promise<string>>();
  readonly #filters: Filters<Member>;
  readonly #vetting: BlockVetting;
  readonly #checks: AnswerChecks;

  constructor(upstreams: readonly Upstream[], options: PoolOptions = {}) {
    this.#members = new Members(upstreams, options);
    this.#patience = options.patience ?? 1000;
    this.#quorum = options.quorum ?? 1;
    this.#retry = { ...DEFAULT_RETRY, ...options.retry };
    this.#vetting = new BlockVetting((member) => this.#members.ordered().filter((other) => other !== member));
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
    const work = (upstream: Upstream) => upstream.call(calls, at);
    return this.#quorum > 1 ? this.#eachAgreed(work, "calls of contracts") : this.#each(work, at.number);
  }

  request(method: string, params: readonly unknown[], mostBytes?: number): Promise<unknown> {
    const work = (upstream: Upstream) => upstream.request(method, params, mostBytes);
    return this.#isCompared(method) ? this.#eachAgreed(work, method) : this.#each(work);
  }

  requests(questions: readonly RpcQuestion[]): Promise<unknown[]> {
    const work = (upstream: Upstream) => upstream.requests(questions);
    const isCompared = questions.length > 0 && questions.every(({ method }) => this.#isCompared(method));
    return isCompared ? this.#eachAgreed(work, questions[0]!.method) : this.#each(work);
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

  /** Another node is asked soon where one does not answer anything, and else when the call has taken this long. */
  #hedgeAfter(milliseconds: number) {
    const patience = this.#patience / 4;
    return { patience, longPatience: milliseconds - patience, onSlow: (member: Member) => member.probe(patience) };
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
        return await firstAnswer({ members, ask, isFinal, ...this.#hedgeAfter(5 * this.#patience) });
      } catch (error) {
        await operation.pause(error);
      }
    }
  }

  async #passShared(call: Call): Promise<string> {
    if (this.#isAlone) return this.#passAlone(this.#members.all[0]!, call);
    if (this.#isCompared(call.method)) return this.#passAgreed(call);
    const text = await this.#passOn(call);
    const isLatest = call.method === "eth_getBlockByNumber" && call.params[0] === "latest";
    if (this.authoritative || (call.method !== "eth_blockNumber" && !isLatest)) return text;
    const value: unknown = JSON.parse(text);
    const agreed = await this.#members.agreeOn(Number(isObject(value) ? value.number : value));
    if (agreed === undefined) return text;
    return isLatest ? this.#passOn({ ...call, params: [agreed, ...call.params.slice(1)] }) : JSON.stringify(agreed);
  }

  #isCompared(method: string): boolean {
    return this.#quorum > 1 && isStateMethod(method);
  }

  /** The answer that a quorum of the nodes gives, for the newest block that so many have where the call names the newest. */
  async #passAgreed(call: Call): Promise<string> {
    const at = STATE_METHODS[call.method]!;
    const named = call.params[at] ?? "latest";
    await (named === "latest" ? this.#members.lookFor(LOOK_PATIENCE) : this.#members.keepLooking());
    const number = named === "latest" ? this.#members.commonHead(this.#quorum) : undefined;
    const params = number === undefined ? call.params : call.params.toSpliced(at, 1, quantity(number));
    const pinned = { method: call.method, params };
    const isFixed = named !== "pending" && typeof params[at] === "string" && params[at].startsWith("0x");
    const ask = (member: Member) => this.#ask(member, pinned);
    return this.#askQuorum(ask, call.method, (member, isAgreed) => {
      const isOver = async () => isAgreed(await ask(member));
      if (isFixed)
        member.trust.blame(`its result of ${call.method} differs from that of ${this.#quorum} others`, isOver);
    });
  }

  /** What a quorum of the nodes answers; asked again while too few can be asked. */
  async #eachAgreed<T>(work: (upstream: Upstream) => Promise<T>, subject: string): Promise<T> {
    const operation = new Operation(this.#retry, this.#closing.signal, () => {});
    for (;;) {
      try {
        await this.#members.keepLooking();
        return await this.#askQuorum((member) => member.ask(work), subject);
      } catch (error) {
        await operation.pause(error);
      }
    }
  }

  #askQuorum<T>(ask: (member: Member) => Promise<T>, subject: string, onDissent?: Dissent<T>): Promise<T> {
    // One that gave false data elsewhere may agree with others here.
    const members = [...new Set([...this.#members.ordered(), ...this.#members.all])];
    const [quorum, patience] = [this.#quorum, this.#patience];
    return askQuorum({ members, ask, quorum, patience, onSlow, subject, ...(onDissent && { onDissent }) });
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
        const hedging = this.#hedgeAfter(this.#patience);
        const text = await firstAnswer({ members, ask, isFinal, isEmpty, isEjected, ...hedging });
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
      await this.#members.lookFor(LOOK_PATIENCE);
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

/** Learns who gave another answer than the quorum, and how to tell whether an answer is that of the quorum. */
type Dissent<T> = (member: Member, isAgreed: (answer: T) => boolean) => void;

/** How often the nodes are looked at anew for what only one that is behind was asked: the first look may have begun before. */
const MOST_LOOKS = 2;

const onSlow = (member: Member) => member.noteSlow();

const isEjected = (member: Member) => member.isEjected;

/** What another node would answer in the same way. One that lacks a method or a block may stand beside one that has it. */
function isFinal(error: ChainError): boolean {
  if (!(error instanceof UpstreamError) || error.rpc === undefined) return error.code === "limit_exceeded";
  return !isOverload(error.rpc) && !isMissing(error.rpc) && error.rpc.code !== -32_601;
}
