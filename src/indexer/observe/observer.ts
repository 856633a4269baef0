import type { Bytes } from "../../chain/encoding/bytes.ts";
import { quantity, toHex } from "../../chain/encoding/hex.ts";
import { asChainError, ChainError } from "../../chain/error.ts";
import type { CallOutcome, ContractCall, Source } from "../../chain/source.ts";
import { withTimeout } from "../../std/withTimeout.ts";
import type { Store } from "../../store/store.ts";
import type { DueToken, DueTokens } from "../../store/tokens/observe/dueTokens.ts";
import { observe, observeWrapper } from "./observation.ts";
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

interface Answer {
  /** What became of the calls; none where the token kept the node. */
  readonly calls: readonly CallOutcome[];
  /** The balance of a contract that may be a wrapped coin. */
  readonly coins: bigint | undefined;
}

const UNANSWERED: Answer = { calls: [], coins: undefined };
const BALANCE = /^0x[0-9a-f]{1,64}$/i;

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
      const due = await this.#options.store.read((session) => session.observations.due(this.#size));
      if (due === undefined || due.tokens.length === 0) return 0;
      const answered = await this.#ask(due);
      await this.#record(due.at, answered);
      this.#troubles = 0;
      this.#size = Math.min(this.#size * 2, ROUND);
      return answered.size;
    } catch (error) {
      this.#rest(asChainError(error));
      return 0;
    }
  }

  /**
   * A failure counts against a token if the node answers another call before and after. Tokens that keep it from doing so
   * are asked in ever smaller company: one that is asked alone counts whatever comes after.
   */
  async #ask({ at, tokens }: DueTokens): Promise<Map<DueToken, Answer>> {
    await this.#control(at);
    const answers = await this.#callAll(at, tokens);
    if (tokens.length > 1 && [...answers.values()].some(hasFailed)) await this.#control(at);
    return answers;
  }

  async #record(at: At, answers: ReadonlyMap<DueToken, Answer>): Promise<void> {
    const { observations } = this.#options.store;
    const some = (isWrapper: boolean) => [...answers].filter(([due]) => due.isWrapper === isWrapper);
    const tokens = some(false).map(([due, { calls }]) => observe(due, readTokenAnswers(calls), at));
    const retried = tokens.filter(({ isRetried }) => isRetried).map(({ observation }) => observation.token);
    if (tokens.length > 0)
      await observations.record(
        tokens.map(({ observation }) => observation),
        new Set(retried),
      );
    const wrappers = some(true).map(([due, { calls, coins }]) =>
      observeWrapper(due, readTokenAnswers(calls), at, coins),
    );
    if (wrappers.length === 0) return;
    const found = wrappers.filter(({ isCoin }) => isCoin).map(({ observation }) => observation.token);
    await observations.recordWrappers(
      wrappers.map(({ observation }) => observation),
      new Set(found),
    );
  }

  async #control(at: At): Promise<void> {
    const [outcome] = await withTimeout(this.#options.source.call([CONTROL], at), CONTROL_MILLISECONDS, tooLate);
    if (outcome instanceof ChainError) throw outcome;
  }

  /**
   * The answers of the tokens there was time for; none where a token kept the node until the end. What begins in the
   * second half would be given too little time to answer.
   */
  async #callAll(at: At, tokens: readonly DueToken[]): Promise<Map<DueToken, Answer>> {
    const milliseconds = this.#options.roundMilliseconds ?? ROUND_MILLISECONDS;
    const lastBegin = performance.now() + milliseconds / 2;
    const answers = new Map<DueToken, Answer>();
    const waiting = [...tokens];
    const work = async () => {
      while (performance.now() < lastBegin) {
        const due = waiting.shift();
        if (due === undefined) return;
        answers.set(due, UNANSWERED);
        answers.set(due, await this.#call(due, at));
      }
    };
    const workers = Promise.all(Array.from({ length: IN_FLIGHT }, work));
    await withTimeout(workers, milliseconds, tooLate).catch(() => {});
    return new Map(answers);
  }

  async #call(due: DueToken, at: At): Promise<Answer> {
    const { source } = this.#options;
    const asked = tokenCalls(
      due.address,
      due.holdings.map(({ address }) => address),
    );
    const calls = await source.call(asked, at).catch(() => []);
    return { calls, coins: due.isWrapper ? await readCoins(source, due.address, at) : undefined };
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

function hasFailed({ calls }: Answer): boolean {
  return calls.length === 0 || calls.some((outcome) => outcome instanceof ChainError);
}

/** How much of the chain's coin a contract has; undefined where the node does not say. */
async function readCoins(source: Source, address: Bytes, { number, hash }: At): Promise<bigint | undefined> {
  // Nodes older than EIP-1898 know a block by its number alone.
  for (const at of [{ blockHash: toHex(hash) }, quantity(number)]) {
    const balance = await source.request("eth_getBalance", [toHex(address), at]).catch(() => undefined);
    if (typeof balance === "string" && BALANCE.test(balance)) return BigInt(balance);
  }
  return undefined;
}

function tooLate(): never {
  throw new ChainError("upstream_unavailable", "the node did not answer in time");
}
