import type { Bytes } from "../../chain/encoding/bytes.ts";
import { quantity, toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { CallOutcome, Source } from "../../chain/source.ts";
import { readTokenAnswers, tokenCalls } from "../../chain/token/tokenAnswers.ts";
import type { DueToken } from "../../store/stages/tokens/read/dueTokens.ts";
import type { Store } from "../../store/store.ts";
import { observe, observeWrapper } from "./observation.ts";
import type { At, RoundOptions } from "./observationRounds.ts";
import { ObservationRounds } from "./observationRounds.ts";

export interface ObserverOptions extends RoundOptions {
  readonly store: Store;
}

interface Answer {
  /** Empty if the token hung the node. */
  readonly calls: readonly CallOutcome[];
  /** Native balance of a possible wrapped coin. */
  readonly coins: bigint | undefined;
}

const UNANSWERED: Answer = { calls: [], coins: undefined };
const BALANCE = /^0x[0-9a-f]{1,64}$/i;

/** Observes token metadata, supplies and sample balances. */
export class TokenObserver {
  readonly #store: Store;
  readonly #source: Source;
  readonly #rounds: ObservationRounds<DueToken, Answer>;

  constructor({ store, ...options }: ObserverOptions) {
    this.#store = store;
    this.#source = options.source;
    this.#rounds = new ObservationRounds<DueToken, Answer>(options, {
      due: async (limit) => {
        const due = await store.read((session) => session.observations.due(limit));
        return due && { at: due.at, items: due.tokens };
      },
      ask: (due, at) => this.#call(due, at),
      unanswered: UNANSWERED,
      hasFailed,
      record: (at, answers) => this.#record(at, answers),
    });
  }

  round(): Promise<number> {
    return this.#rounds.round();
  }

  async #record(at: At, answers: ReadonlyMap<DueToken, Answer>): Promise<void> {
    const { observations } = this.#store;
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

  async #call(due: DueToken, at: At): Promise<Answer> {
    const asked = tokenCalls(
      due.address,
      due.holdings.map(({ address }) => address),
    );
    const calls = await this.#source.call(asked, at).catch(() => []);
    return { calls, coins: due.isWrapper ? await readCoins(this.#source, due.address, at) : undefined };
  }
}

function hasFailed({ calls }: Answer): boolean {
  return calls.length === 0 || calls.some((outcome) => outcome instanceof ChainError);
}

/** Undefined if the node could not answer. */
async function readCoins(source: Source, address: Bytes, { number, hash }: At): Promise<bigint | undefined> {
  // Nodes without EIP-1898 only accept a number.
  for (const at of [{ blockHash: toHex(hash) }, quantity(number)]) {
    const balance = await source.request("eth_getBalance", [toHex(address), at]).catch(() => undefined);
    if (typeof balance === "string" && BALANCE.test(balance)) return BigInt(balance);
  }
  return undefined;
}
