import { asChainError, ChainError } from "../../chain/error.ts";
import type { CallOutcome, ContractCall, Source } from "../../chain/source.ts";
import type { Store } from "../../store/store.ts";
import type { DueToken, DueTokens } from "../../store/tokens/dueTokens.ts";
import type { Observed } from "./observation.ts";
import { observe } from "./observation.ts";
import { readTokenAnswers, tokenCalls } from "./tokenCalls.ts";

export interface ObserverOptions {
  readonly store: Store;
  /** One of its own: a contract that keeps the node busy must not hold up blocks. */
  readonly source: Source;
  /** Told why the node cannot be asked, at most once a minute. */
  readonly onTrouble?: (message: string) => void;
  /** How long one round may wait for tokens. */
  readonly roundMilliseconds?: number;
  /** How long the node is left alone after its first failure; each further one doubles it, up to a minute. */
  readonly restMilliseconds?: number;
}

/** Tokens asked about in one round. */
export const ROUND = 20;
const IN_FLIGHT = 4;
const ROUND_MILLISECONDS = 2000;
const CONTROL_MILLISECONDS = 1000;
const FIRST_REST = 1000;
const LONGEST_REST = 60_000;
const TROUBLE_EVERY = 60_000;

type At = DueTokens["at"];

/** A call that costs nothing and that no contract answers: whether the node has the block's state at all. */
const CONTROL: ContractCall = { to: new Uint8Array(20), data: new Uint8Array(0) };

/**
 * Asks the node what tokens call themselves and what their holders have. A round is small and bounded in time, and
 * nothing it meets makes it throw: what does not work is tried again later.
 */
export class TokenObserver {
  readonly #options: ObserverOptions;
  #size = ROUND;
  #troubles = 0;
  #restsUntil = 0;
  #saidAt = Number.NEGATIVE_INFINITY;

  constructor(options: ObserverOptions) {
    this.#options = options;
  }

  /** Observes a few of the tokens that are due; answers how many. */
  async round(): Promise<number> {
    if (performance.now() < this.#restsUntil) return 0;
    try {
      const due = await this.#options.store.observations.due(this.#size);
      if (due === undefined || due.tokens.length === 0) return 0;
      const observed = await this.#ask(due);
      const retried = observed.filter(({ isRetried }) => isRetried).map(({ observation }) => observation.token);
      const observations = observed.map(({ observation }) => observation);
      await this.#options.store.observations.record(observations, new Set(retried));
      this.#troubles = 0;
      this.#size = Math.min(this.#size * 2, ROUND);
      return observed.length;
    } catch (error) {
      this.#rest(asChainError(error));
      return 0;
    }
  }

  /**
   * A failure counts against a token if the node answers another call before and after. Tokens that keep it from doing so
   * are asked in ever smaller company: one that is asked alone counts whatever comes after.
   */
  async #ask({ at, tokens }: DueTokens): Promise<Observed[]> {
    await this.#control(at);
    const outcomes = await this.#callAll(at, tokens);
    if (tokens.length > 1 && [...outcomes.values()].some(hasFailed)) await this.#control(at);
    return [...outcomes].map(([due, answers]) => observe(due, readTokenAnswers(answers), at));
  }

  async #control(at: At): Promise<void> {
    const [outcome] = await inTime(this.#options.source.call([CONTROL], at), CONTROL_MILLISECONDS);
    if (outcome instanceof ChainError) throw outcome;
  }

  /**
   * The outcomes of the tokens there was time for; none where a token kept the node until the end. What begins in the
   * second half would be given too little time to answer.
   */
  async #callAll(at: At, tokens: readonly DueToken[]): Promise<Map<DueToken, readonly CallOutcome[]>> {
    const milliseconds = this.#options.roundMilliseconds ?? ROUND_MILLISECONDS;
    const lastBegin = performance.now() + milliseconds / 2;
    const outcomes = new Map<DueToken, readonly CallOutcome[]>();
    const waiting = [...tokens];
    const work = async () => {
      while (performance.now() < lastBegin) {
        const due = waiting.shift();
        if (due === undefined) return;
        outcomes.set(due, []);
        const calls = tokenCalls(
          due.address,
          due.holdings.map(({ address }) => address),
        );
        outcomes.set(due, await this.#options.source.call(calls, at).catch(() => []));
      }
    };
    const workers = Promise.all(Array.from({ length: IN_FLIGHT }, work));
    await inTime(workers, milliseconds).catch(() => {});
    return new Map(outcomes);
  }

  #rest({ message }: ChainError): void {
    const [now, first] = [performance.now(), this.#options.restMilliseconds ?? FIRST_REST];
    this.#size = Math.max(1, this.#size >> 2);
    this.#restsUntil = now + Math.min(first * 2 ** this.#troubles++, LONGEST_REST);
    if (now - this.#saidAt < TROUBLE_EVERY) return;
    this.#saidAt = now;
    this.#options.onTrouble?.(message);
  }
}

function hasFailed(outcomes: readonly CallOutcome[]): boolean {
  return outcomes.length === 0 || outcomes.some((outcome) => outcome instanceof ChainError);
}

async function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const error = new ChainError("upstream_unavailable", "the node did not answer in time");
  const timer = setTimeout(() => late.reject(error), milliseconds);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
