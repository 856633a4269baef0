import { isZero } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import type { PoolKey } from "../../chain/exchange/exchangeFields.ts";
import { partsOfKey } from "../../chain/exchange/singleton.ts";
import type { CallOutcome, Source } from "../../chain/source.ts";
import { readTokenAnswers, tokenCalls } from "../../chain/token/tokenAnswers.ts";
import { balanceCall } from "../../chain/token/tokenCall.ts";
import { decodeUint } from "../../chain/token/tokenText.ts";
import type { DuePool, PoolHolding } from "../../store/stages/exchange/observe/duePools.ts";
import { readDuePools } from "../../store/stages/exchange/observe/duePools.ts";
import type { PoolObservation, ReportedToken } from "../../store/stages/exchange/observe/poolObservation.ts";
import type { ObservedPool } from "../../store/stages/exchange/observe/poolObservations.ts";
import { FactoryCodes } from "./factoryCodes.ts";
import type { At } from "./observationRounds.ts";
import { ObservationRounds } from "./observationRounds.ts";
import type { ObserverOptions } from "./observer.ts";
import { factoryCall, findCreations, isConfirmed, poolCalls } from "./poolCalls.ts";
import { RARELY, RETRIES } from "./schedule.ts";

/** Blocks between reconciliations of a pool's balances. */
export const RECONCILED = 100;

/** Undefined members could not be determined. */
interface Answer {
  /** The factory, if pool and factory confirm each other; null if not. */
  readonly factory?: Uint8Array | null;
  /** `balanceOf` of the pool per token; null if the token does not report it. */
  readonly balances?: readonly (bigint | null)[];
  /** Metadata of its tokens without transfers. */
  readonly tokens?: PoolObservation["tokens"];
  /** Exchange identified by the factory's code. */
  readonly exchange?: PoolObservation["exchange"];
}

const UNANSWERED: Answer = {};

/**
 * Verifies pools with their factories, and reconciles confirmed pools with `balanceOf`, which reveals rebasing tokens.
 */
export class PoolObserver {
  readonly #source: Source;
  readonly #factories: FactoryCodes;
  readonly #rounds: ObservationRounds<DuePool, Answer>;

  constructor({ store, ...options }: ObserverOptions) {
    this.#source = options.source;
    this.#factories = new FactoryCodes(options.source);
    this.#rounds = new ObservationRounds<DuePool, Answer>(options, {
      due: async (limit) => {
        const due = await store.read((session) => readDuePools(session, limit));
        return due && { at: due.at, items: due.pools };
      },
      ask: (due, at) => (due.before?.factory === undefined ? this.#confirm(due, at) : this.#compareBalances(due, at)),
      unanswered: UNANSWERED,
      hasFailed,
      record: (at, answers) =>
        store.poolObservations.record([...answers].map(([due, one]) => observePool(due, one, at))),
    });
  }

  round(): Promise<number> {
    return this.#rounds.round();
  }

  async #confirm({ address, creations }: DuePool, at: At): Promise<Answer> {
    // The manager of a pool without an address says itself that it has it.
    if (partsOfKey(address) !== undefined && creations[0] !== undefined) return { factory: creations[0].factory };
    const found = findCreations(creations, await this.#call(poolCalls(address, creations), at));
    if (found === undefined) return UNANSWERED;
    if (found.length === 0) return { factory: null };
    const outcomes = await this.#call(found.map(factoryCall), at);
    const confirmed = found.map((creation, at) => isConfirmed(creation, outcomes[at]));
    const creation = found[confirmed.indexOf(true)];
    if (creation !== undefined) return { factory: creation.factory };
    return confirmed.includes(undefined) ? UNANSWERED : { factory: null };
  }

  async #compareBalances({ address, before, holdings }: DuePool, at: At): Promise<Answer> {
    const balances = await this.#balances(address, holdings, at);
    if (balances === undefined) return UNANSWERED;
    const [token0, token1] = [await this.#askToken(holdings[0], at), await this.#askToken(holdings[1], at)];
    const exchange = before?.exchange ?? (before?.factory && (await this.#factories.exchangeOf(before.factory, at)));
    return { factory: before?.factory ?? null, balances, tokens: [token0, token1], exchange };
  }

  /** A V4 pool has no balance of its own. */
  async #balances(address: PoolKey, holdings: readonly PoolHolding[], at: At): Promise<Answer["balances"]> {
    if (partsOfKey(address) !== undefined) return holdings.map(() => null);
    const calls = holdings.map(({ token }) => balanceCall(token, address));
    const outcomes = await this.#call(calls, at);
    if (outcomes.length === 0 || outcomes.some((outcome) => outcome instanceof ChainError)) return undefined;
    return outcomes.map((outcome) => (outcome instanceof Uint8Array ? decodeUint(outcome) : null));
  }

  /** Tokens with transfers belong to the token observer. */
  async #askToken(holding: PoolHolding | undefined, at: At): Promise<ReportedToken | undefined> {
    if (holding === undefined || holding.isToken || isZero(holding.token)) return undefined;
    const answers = readTokenAnswers(await this.#call(tokenCalls(holding.token, []), at));
    const { name, symbol, decimals = null, totalSupply: supply = null } = answers;
    return { name: name?.text ?? null, symbol: symbol?.text ?? null, decimals, supply };
  }

  #call(calls: Parameters<Source["call"]>[0], at: At): Promise<CallOutcome[]> {
    return this.#source.call(calls, at).catch(() => []);
  }
}

function hasFailed({ factory }: Answer): boolean {
  return factory === undefined;
}

/** Updates stored observations; values the node could not report are unchanged. */
function observePool(due: DuePool, answer: Answer, at: At): ObservedPool {
  const { factory, balances } = answer;
  const { pool, before, holdings } = due;
  const failures = factory === undefined ? (before?.failures ?? 0) + 1 : 0;
  const retry = failures === 0 ? undefined : RETRIES[failures - 1];
  const confirmed = factory === undefined ? before?.factory : (factory ?? undefined);
  const known = [before?.difference0 ?? 0n, before?.difference1 ?? 0n] as const;
  const differences = known.map((difference, token) => {
    const balance = balances?.[token];
    return typeof balance === "bigint" ? balance - holdings[token]!.amount : difference;
  }) as [bigint, bigint];
  const moved = holdings.flatMap(({ id }, token) =>
    differences[token] !== known[token] && id !== undefined ? [id] : [],
  );
  // A newly confirmed pool is reconciled at once.
  const isNew = confirmed !== undefined && balances === undefined && failures === 0;
  const distance = retry ?? (failures > 0 || confirmed === undefined ? RARELY : isNew ? 0 : RECONCILED);
  const [difference0, difference1] = differences;
  const observation: PoolObservation = {
    ...{ pool, block: at.number, hash: at.hash, factory: confirmed, difference0, difference1 },
    ...{ failures, again: at.number + distance },
    tokens: answer.tokens ?? before?.tokens ?? [undefined, undefined],
    exchange: answer.exchange ?? before?.exchange,
  };
  const isRepeated = retry !== undefined || isNew || difference0 !== 0n || difference1 !== 0n;
  return { observation, isRepeated, moved };
}
