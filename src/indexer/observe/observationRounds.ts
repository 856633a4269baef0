import { asChainError, ChainError } from "../../chain/error.ts";
import type { ContractCall, Head, Source } from "../../chain/source.ts";
import { withTimeout } from "../../std/async.ts";

export interface RoundOptions {
  /** A separate source: a slow contract must not delay blocks. */
  readonly source: Source;
  /** Called at most once a minute. */
  readonly onError?: (message: string) => void;
  /** Time limit of a round. */
  readonly roundMilliseconds?: number;
  readonly restMilliseconds?: number;
  readonly now?: () => number;
}

export type At = Pick<Head, "number" | "hash">;

/** Contracts that are due, their calls, and how to store the results. */
interface Questions<T, A> {
  due(limit: number): Promise<{ readonly at: At; readonly items: readonly T[] } | undefined>;
  ask(item: T, at: At): Promise<A>;
  readonly unanswered: A;
  hasFailed(answer: A): boolean;
  record(at: At, answers: ReadonlyMap<T, A>): Promise<void>;
}

/** Contracts per round. */
export const ROUND = 20;
const IN_FLIGHT = 4;
const ROUND_MILLISECONDS = 2000;
const CONTROL_MILLISECONDS = 1000;
const MIN_PAUSE = 1000;
const MAX_REST = 60_000;
const ERROR_INTERVAL = 60_000;

/** A free call that fails if the node lacks the block's state. */
const CONTROL: ContractCall = { to: new Uint8Array(20), data: new Uint8Array(0) };

/** Observes contracts in small rounds, bounded in time. Never throws: failures are retried later. */
export class ObservationRounds<T, A> {
  readonly #options: RoundOptions;
  readonly #questions: Questions<T, A>;
  readonly #now: () => number;
  #size = ROUND;
  #errors = 0;
  #restsUntil = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(options: RoundOptions, questions: Questions<T, A>) {
    this.#options = options;
    this.#questions = questions;
    this.#now = options.now ?? (() => performance.now());
  }

  async round(): Promise<number> {
    if (this.#now() < this.#restsUntil) return 0;
    try {
      const due = await this.#questions.due(this.#size);
      if (due === undefined || due.items.length === 0) return 0;
      const answered = await this.#askAll(due.at, due.items);
      await this.#questions.record(due.at, answered);
      this.#errors = 0;
      this.#size = Math.min(this.#size * 2, ROUND);
      return answered.size;
    } catch (error) {
      this.#rest(asChainError(error));
      return 0;
    }
  }

  /**
   * A failure counts against a contract if the node answers a control call before and after. Contracts that hang the
   * node are asked in ever smaller groups; one asked alone counts in any case.
   */
  async #askAll(at: At, items: readonly T[]): Promise<Map<T, A>> {
    await this.#control(at);
    const answers = await this.#callAll(at, items);
    const hasFailed = [...answers.values()].some((answer) => this.#questions.hasFailed(answer));
    if (items.length > 1 && hasFailed) await this.#control(at);
    return answers;
  }

  async #control(at: At): Promise<void> {
    const [outcome] = await withTimeout(this.#options.source.call([CONTROL], at), CONTROL_MILLISECONDS, tooLate);
    if (outcome instanceof ChainError) throw outcome;
  }

  /** Empty if a contract hung the node. Nothing starts in the second half, which would leave it too little time. */
  async #callAll(at: At, items: readonly T[]): Promise<Map<T, A>> {
    const milliseconds = this.#options.roundMilliseconds ?? ROUND_MILLISECONDS;
    const lastBegin = performance.now() + milliseconds / 2;
    const answers = new Map<T, A>();
    const waiting = [...items];
    const work = async () => {
      while (performance.now() < lastBegin) {
        const due = waiting.shift();
        if (due === undefined) return;
        answers.set(due, this.#questions.unanswered);
        answers.set(due, await this.#questions.ask(due, at));
      }
    };
    const workers = Promise.all(Array.from({ length: IN_FLIGHT }, work));
    await withTimeout(workers, milliseconds, tooLate).catch(() => {});
    return new Map(answers);
  }

  #rest({ message }: ChainError): void {
    const [now, first] = [this.#now(), this.#options.restMilliseconds ?? MIN_PAUSE];
    this.#size = Math.max(1, this.#size >> 2);
    this.#restsUntil = now + Math.min(first * 2 ** this.#errors++, MAX_REST);
    if (now - this.#reportedAt < ERROR_INTERVAL) return;
    this.#reportedAt = now;
    this.#options.onError?.(message);
  }
}

function tooLate(): never {
  throw new ChainError("upstream_unavailable", "the node did not answer in time");
}
