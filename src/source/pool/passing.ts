import { setTimeout as delay } from "node:timers/promises";
import { quantity } from "../../chain/encoding/hex.ts";
import { asChainError, ChainError } from "../../chain/error.ts";
import { withTimeout } from "../../std/async.ts";
import { isObject } from "../../std/values.ts";
import { isMissing, isOverload, UpstreamError } from "../failure.ts";
import type { Call } from "../jsonRpc.ts";
import type { RetryPolicy } from "../retry.ts";
import { DEFAULT_RETRY, Operation } from "../retry.ts";
import { STATE_METHODS } from "../stateMethods.ts";
import type { AnswerChecks } from "./answerChecks.ts";
import type { Asking } from "./asking.ts";
import { broadcast } from "./broadcast.ts";
import { Filters } from "./filters.ts";
import { firstAnswer } from "./firstAnswer.ts";
import type { Member } from "./member.ts";
import type { Members } from "./members.ts";
import { POLL_TIMEOUT } from "./members.ts";
import { ABSENT_AS_NULL, kindOf } from "./methodKinds.ts";

/** For forwarded calls with a waiting client. */
const PASSING: RetryPolicy = {
  ...DEFAULT_RETRY,
  attempts: 4,
  invalidAttempts: 4,
  unreachedAttempts: 3,
  maxDelayMs: 1000,
  deadlineMs: 15_000,
};

interface PassingOptions {
  readonly members: Members;
  readonly asking: Asking;
  /** Undefined for development nodes and for a single node. */
  readonly checks: AnswerChecks | undefined;
  /** Whether the nodes are followed wherever they go. */
  readonly isAuthoritative: boolean;
  readonly closing: AbortSignal;
}

export class Passing {
  readonly #members: Members;
  readonly #asking: Asking;
  readonly #checks: AnswerChecks | undefined;
  readonly #isAuthoritative: boolean;
  readonly #closing: AbortSignal;
  readonly #flights = new Map<string, Promise<string>>();
  readonly #filters: Filters<Member>;

  constructor({ members, asking, checks, isAuthoritative, closing }: PassingOptions) {
    this.#members = members;
    this.#asking = asking;
    this.#checks = checks;
    this.#isAuthoritative = isAuthoritative;
    this.#closing = closing;
    const ask = (member: Member, call: Call) => this.#askInTime(member, call);
    this.#filters = new Filters({ members: () => members.ordered(), ask });
  }

  /** Returns the result verbatim. Identical concurrent reads share one request; transactions go to all nodes. */
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

  /** Results of all nodes, for data that some may have pruned. */
  async passToAll(method: string, params: readonly unknown[]): Promise<string[]> {
    const asked = this.#members.answering.map((member) => this.#askInTime(member, { method, params }));
    const settled = await Promise.allSettled(asked);
    return settled.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  }

  get #isAlone(): boolean {
    return this.#members.all.length === 1;
  }

  async #passShared(call: Call): Promise<string> {
    if (this.#isAlone) return this.#passAlone(this.#members.all[0]!, call);
    if (this.#asking.isCompared(call.method)) return this.#passAgreed(call);
    const text = await this.#passOn(call);
    const isLatest = call.method === "eth_getBlockByNumber" && call.params[0] === "latest";
    if (this.#isAuthoritative || (call.method !== "eth_blockNumber" && !isLatest)) return text;
    const value: unknown = JSON.parse(text);
    const agreed = await this.#members.agreeOn(Number(isObject(value) ? value.number : value));
    if (agreed === undefined) return text;
    const params = [agreed, ...call.params.slice(1)];
    return isLatest ? this.#passOn({ method: call.method, params }) : JSON.stringify(agreed);
  }

  /** Quorum result. `latest` resolves to the newest block that enough nodes have. */
  async #passAgreed(call: Call): Promise<string> {
    const at = STATE_METHODS[call.method]!;
    const named = call.params[at] ?? "latest";
    await (named === "latest" ? this.#members.pollHeadsFor(POLL_TIMEOUT) : this.#members.keepPolling());
    const number = named === "latest" ? this.#members.commonHead(this.#asking.quorum) : undefined;
    const params = number === undefined ? call.params : call.params.toSpliced(at, 1, quantity(number));
    const pinned = { method: call.method, params };
    const isFixed = named !== "pending" && typeof params[at] === "string" && params[at].startsWith("0x");
    const ask = (member: Member) => this.#ask(member, pinned);
    return this.#asking.askQuorum(ask, call.method, (member, isAgreed) => {
      const isOver = async () => isAgreed(await ask(member));
      if (isFixed)
        member.trust.blame(`its result of ${call.method} differs from that of ${this.#asking.quorum} others`, isOver);
    });
  }

  async #passOn(call: Call): Promise<string> {
    const operation = new Operation(PASSING, this.#closing, () => {});
    const isEmpty = (text: string) => isAbsent(call, text);
    for (let polls = 0; ; ) {
      await this.#members.keepPolling();
      const lacking = new Set<Member>();
      const ask = (member: Member) => this.#askNoting(member, lacking, call);
      const isBelieved = () => polls === POLL_DELAYS.length || this.#members.someUp(lacking);
      const members = this.#members.ordered();
      try {
        const hedging = this.#asking.hedgeAfter(this.#asking.hedgeDelay);
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
      // A node that is behind lacks it; another may have returned meanwhile.
      await delay(POLL_DELAYS[polls++], undefined, { ref: false });
      await this.#members.pollHeadsFor(POLL_TIMEOUT);
    }
  }

  /** Notes a node that lacks the requested block. */
  async #askNoting(member: Member, lacking: Set<Member>, call: Call): Promise<string> {
    try {
      const text = await this.#askChecked(member, call);
      if (isAbsent(call, text)) lacking.add(member);
      return text;
    } catch (error) {
      if (error instanceof UpstreamError && error.rpc !== undefined && isMissing(error.rpc)) lacking.add(member);
      throw error;
    }
  }

  /** With a single node, transient failures are retried. */
  async #passAlone(member: Member, call: Call): Promise<string> {
    let operation: Operation | undefined;
    for (;;) {
      try {
        return await this.#ask(member, call);
      } catch (error) {
        const failure = asChainError(error);
        const rpc = failure instanceof UpstreamError ? failure.rpc : undefined;
        if (rpc !== undefined && !isOverload(rpc)) throw failure;
        operation ??= new Operation(PASSING, this.#closing, () => {});
        await operation.pause(failure);
      }
    }
  }

  async #passOnce(call: Call): Promise<string> {
    await this.#members.keepPolling();
    return this.#ask(this.#members.ordered()[0]!, call);
  }

  #ask(member: Member, call: Call): Promise<string> {
    return member.ask((upstream) => upstream.pass(call));
  }

  /** Checks the result against the block's commitments. */
  async #askChecked(member: Member, call: Call): Promise<string> {
    const text = await this.#ask(member, call);
    const problem = await this.#problemOf(member, call, text);
    if (problem === undefined) {
      await this.#requireBlocks(member, call, text);
      return text;
    }
    const isOver = async () => (await this.#problemOf(member, call, await this.#ask(member, call))) === undefined;
    member.trust.blame(problem, isOver);
    throw new UpstreamError("upstream_invalid", `the node at ${member.upstream.name} gave false data: ${problem}`);
  }

  /** A node that lacks blocks of a range of logs does not report it. */
  async #requireBlocks(member: Member, { method, params: [filter] }: Call, text: string): Promise<void> {
    const head = this.#members.highest;
    const last =
      method === "eth_getLogs" && isObject(filter) && head !== undefined ? lastBlock(filter, head) : undefined;
    if (last === undefined || (text !== "[]" && member.head >= last)) return;
    const [hash] = await member.ask((upstream) => upstream.hashes([last]));
    if (hash !== undefined) return;
    throw new UpstreamError("upstream_unavailable", `the node at ${member.upstream.name} lacks block ${last}`);
  }

  async #problemOf(member: Member, call: Call, text: string): Promise<string | undefined> {
    return this.#checks?.covers(call.method) ? this.#checks.problemOf(call, JSON.parse(text), member) : undefined;
  }

  async #askInTime(member: Member, call: Call): Promise<string> {
    if (this.#isAlone) return this.#ask(member, call);
    return withTimeout(this.#ask(member, call), this.#asking.hedgeDelay, () => {
      member.noteSlow();
      throw new ChainError("upstream_unavailable", `the node at ${member.upstream.name} does not answer`);
    });
  }

  async #broadcast(call: Call): Promise<string> {
    await this.#members.keepPolling();
    const send = (member: Member) => this.#ask(member, call);
    const [members, raw, timeout] = [this.#members.ordered(), call.params[0], this.#asking.hedgeDelay];
    return broadcast({ members, send, raw, timeout, isEjected });
  }

  async #passFilter(call: Call): Promise<string> {
    await this.#members.keepPolling();
    return this.#filters.pass(call);
  }
}

function isAbsent({ method }: Call, text: string): boolean {
  return text === "null" && ABSENT_AS_NULL.test(method);
}

/** Last block of a range of logs, up to the head; undefined for a single block and for a tag other than the head. */
function lastBlock({ blockHash, toBlock = "latest" }: Record<string, unknown>, head: number): number | undefined {
  if (blockHash !== undefined) return undefined;
  if (toBlock === "latest" || toBlock === "pending") return head;
  return String(toBlock).startsWith("0x") ? Math.min(Number(toBlock), head) : undefined;
}

/**
 * Milliseconds before each head refresh for a result that only lagging nodes gave: the first may predate the call, and a node
 * that has the block may be slow for a moment.
 */
const POLL_DELAYS = [0, 0, 100, 200, 400];

const isEjected = (member: Member) => member.isEjected;

/** Whether another node would answer the same. A node that lacks a method or a block is no evidence for others. */
function isFinal(error: ChainError): boolean {
  if (!(error instanceof UpstreamError) || error.rpc === undefined) return error.code === "limit_exceeded";
  return !isOverload(error.rpc) && !isMissing(error.rpc) && error.rpc.code !== -32_601;
}
