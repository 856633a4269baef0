import { asChainError, ChainError } from "../../chain/error.ts";
import type { ContractCall, Head, Source } from "../../chain/source.ts";
import { withTimeout } from "../../std/withTimeout.ts";

export interface RoundOptions {
  /** One of its own: a contract that keeps the node busy must not hold up blocks. */
  readonly source: Source;
  /** Told why the node cannot be asked, at most once a minute. */
  readonly onTrouble?: (message: string) => void;
  /** How long one round may wait for contracts. */
  readonly roundMilliseconds?: number;
  /** How long the node is left alone after its first failure; each further one doubles it, up to a minute. */
  readonly restMilliseconds?: number;
}

/** The block that a round asks about. */
export type At = Pick<Head, "number" | "hash">;

/** What is asked of a node: contracts that are due, the calls of each, and what becomes of their answers. */
export interface Questions<T, A> {
  /** Up to `limit` that have waited longest. */
  due(limit: number): Promise<{ readonly at: At; readonly items: readonly T[] } | undefined>;
  ask(item: T, at: At): Promise<A>;
  /** Where a contract kept the node. */
  readonly unanswered: A;
  hasFailed(answer: A): boolean;
  record(at: At, answers: ReadonlyMap<T, A>): Promise<void>;
}

/** Contracts asked about in one round. */
export const ROUND = 20;
const IN_FLIGHT = 4;
const ROUND_MILLISECONDS = 2000;
const CONTROL_MILLISECONDS = 1000;
const FIRST_REST = 1000;
const MAX_REST = 60_000;
const TROUBLE_EVERY = 60_000;

/** A call that costs nothing and that no contract answers: whether the node has the block's state at all. */
const CONTROL: ContractCall = { to: new Uint8Array(20), data: new Uint8Array(0) };

/**
 * Asks a node about contracts. A round is small and bounded in time, and nothing it meets makes it throw: what does not work
 * is tried again later.
 */
export class ObservationRounds<T, A> {
  readonly #options: RoundOptions;
  readonly #questions: Questions<T, A>;
  #size = ROUND;
  #troubles = 0;
  #restsUntil = 0;
  #saidAt = Number.NEGATIVE_INFINITY;

  constructor(options: RoundOptions, questions: Questions<T, A>) {
    this.#options = options;
    this.#questions = questions;
  }

  /** Observes a few of the contracts that are due; answers how many. */
  async round(): Promise<number> {
    if (performance.now() < this.#restsUntil) return 0;
    try {
      const due = await this.#questions.due(this.#size);
      if (due === undefined || due.items.length === 0) return 0;
      const answered = await this.#askAll(due.at, due.items);
      await this.#questions.record(due.at, answered);
      this.#troubles = 0;
      this.#size = Math.min(this.#size * 2, ROUND);
      return answered.size;
    } catch (error) {
      this.#rest(asChainError(error));
      return 0;
    }
  }

  /**
   * A failure counts against a contract if the node answers another call before and after. Contracts that keep it from doing
   * so are asked in ever smaller company: one that is asked alone counts whatever comes after.
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

  /**
   * The answers of the contracts there was time for; none where one kept the node until the end. What begins in the second
   * half would be given too little time to answer.
   */
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
    const [now, first] = [performance.now(), this.#options.restMilliseconds ?? FIRST_REST];
    this.#size = Math.max(1, this.#size >> 2);
    this.#restsUntil = now + Math.min(first * 2 ** this.#troubles++, MAX_REST);
    if (now - this.#saidAt < TROUBLE_EVERY) return;
    this.#saidAt = now;
    this.#options.onTrouble?.(message);
  }
}

function tooLate(): never {
  throw new ChainError("upstream_unavailable", "the node did not answer in time");
}
