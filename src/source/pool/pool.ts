import type { Block } from "../../chain/block/block.ts";
import type { Transaction } from "../../chain/block/transaction.ts";
import type { Bytes, Hash } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import type { ChainError } from "../../chain/error.ts";
import { ChainError as Failure } from "../../chain/error.ts";
import type { CallOutcome, ContractCall, Head, RpcQuestion, Source } from "../../chain/source.ts";
import type { UpstreamStatus } from "../../jsonrpc/backend.ts";
import type { RetryPolicy } from "../retry.ts";
import { DEFAULT_RETRY, isTransient, Operation } from "../retry.ts";
import type { Upstream } from "../upstream.ts";
import { AnswerChecks } from "./answerChecks.ts";
import { Asking } from "./asking.ts";
import { BlockVetting } from "./blockVetting.ts";
import { firstAnswer } from "./firstAnswer.ts";
import type { Member } from "./member.ts";
import type { PollOptions } from "./members.ts";
import { Members } from "./members.ts";
import { Passing } from "./passing.ts";

export interface PoolOptions extends PollOptions {
  readonly hedgeDelay?: number;
  readonly retry?: Partial<RetryPolicy>;
  readonly quorum?: number | undefined;
}

/** Several nodes of one chain as one source with failover. */
export class Pool implements Source {
  readonly #members: Members;
  readonly #asking: Asking;
  readonly #passing: Passing;
  readonly #retry: RetryPolicy;
  readonly #closing = new AbortController();
  readonly #vetting: BlockVetting;

  constructor(upstreams: readonly Upstream[], options: PoolOptions = {}) {
    this.#members = new Members(upstreams, options);
    this.#asking = new Asking(this.#members, options);
    this.#retry = { ...DEFAULT_RETRY, ...options.retry };
    this.#vetting = new BlockVetting((member) => this.#members.ordered().filter((other) => other !== member));
    this.#passing = new Passing({
      members: this.#members,
      asking: this.#asking,
      checks: this.#isVetting ? new AnswerChecks(this.#vetting) : undefined,
      isAuthoritative: this.authoritative,
      closing: this.#closing.signal,
    });
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

  async transaction(hash: Hash): Promise<{ transaction: Transaction; block?: Block } | undefined> {
    const { value, member } = await this.#eachGiven((upstream) => upstream.transaction(hash));
    if (value?.block === undefined || !this.#isVetting) return value;
    const block = await this.#vetting.vetOne(value.block, member);
    const transaction = block.transactions.find((tx) => equalBytes(tx.hash, hash));
    return { transaction: transaction ?? value.transaction, block };
  }

  call(calls: readonly ContractCall[], at: Pick<Head, "number" | "hash">): Promise<CallOutcome[]> {
    const work = (upstream: Upstream) => upstream.call(calls, at);
    return this.#asking.quorum > 1 ? this.#eachAgreed(work, "calls of contracts") : this.#each(work, at.number);
  }

  request(method: string, params: readonly unknown[], maxBytes?: number): Promise<unknown> {
    const work = (upstream: Upstream) => upstream.request(method, params, maxBytes);
    return this.#asking.isCompared(method) ? this.#eachAgreed(work, method) : this.#each(work);
  }

  requests(questions: readonly RpcQuestion[]): Promise<unknown[]> {
    const work = (upstream: Upstream) => upstream.requests(questions);
    const isCompared = questions.length > 0 && questions.every(({ method }) => this.#asking.isCompared(method));
    return isCompared ? this.#eachAgreed(work, questions[0]!.method) : this.#each(work);
  }

  /** HTTP nodes announce nothing. */
  watch(listener: () => void): void {
    for (const { upstream } of this.#members.all) upstream.watch(listener);
  }

  pass(method: string, params: readonly unknown[]): Promise<string> {
    return this.#passing.pass(method, params);
  }

  /** Results of all nodes, for data that some may have pruned. */
  passToAll(method: string, params: readonly unknown[]): Promise<string[]> {
    return this.#passing.passToAll(method, params);
  }

  /** Takes over the verdict of another pool of the same nodes. */
  report(at: number, reason: string | undefined): void {
    this.#members.all[at]?.trust.report(reason);
  }

  forgetReports(): void {
    for (const { trust } of this.#members.all) trust.report(undefined);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Failure("upstream_unavailable", "the connections to the nodes were closed"));
    await Promise.all(this.#members.all.map(({ upstream }) => upstream.close()));
  }

  get #isAlone(): boolean {
    return this.#members.all.length === 1;
  }

  /** Development nodes break checks, and a single node is judged by the indexer. */
  get #isVetting(): boolean {
    return !this.#isAlone && !this.authoritative;
  }

  /** Like `#each`, with the node that answered. */
  #eachGiven<T>(work: (upstream: Upstream) => Promise<T>, need?: number): Promise<{ value: T; member: Member }> {
    return this.#each(async (upstream, member) => ({ value: await work(upstream), member }), need);
  }

  /** Asks one node after another, then all again after a pause. A single node retries by itself. */
  async #each<T>(work: (upstream: Upstream, member: Member) => Promise<T>, need?: number): Promise<T> {
    const ask = (member: Member) => member.ask((upstream) => work(upstream, member));
    if (this.#isAlone) return ask(this.#members.all[0]!);
    const operation = new Operation(this.#retry, this.#closing.signal, () => {});
    for (;;) {
      try {
        await this.#members.keepPolling();
        const members = this.#members.ordered(need);
        const isFinal = (error: ChainError) => !isTransient(error) && error.code !== "wrong_chain";
        return await firstAnswer({ members, ask, isFinal, ...this.#asking.hedgeAfter(5 * this.#asking.hedgeDelay) });
      } catch (error) {
        await operation.pause(error);
      }
    }
  }

  /** Quorum result; retries while too few nodes can be asked. */
  async #eachAgreed<T>(work: (upstream: Upstream) => Promise<T>, subject: string): Promise<T> {
    const operation = new Operation(this.#retry, this.#closing.signal, () => {});
    for (;;) {
      try {
        await this.#members.keepPolling();
        return await this.#asking.askQuorum((member) => member.ask(work), subject);
      } catch (error) {
        await operation.pause(error);
      }
    }
  }
}
