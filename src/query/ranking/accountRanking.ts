import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import { sortInTurns, withTimeout } from "../../std/async.ts";
import type { StoreReader } from "../../store/storeReader.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { readIndexedRange } from "../indexedRange.ts";
import type { Order } from "../listWalk.ts";
import type { NodeState } from "../node/nodeState.ts";
import type { PageRequest, RankCursor } from "../pages.ts";
import { firstAfterCursor, rankedPageInfo } from "../pages.ts";
import { accountKey } from "./accountKeys.ts";
import type { AccountPage } from "./describeAccounts.ts";
import { describeAccounts } from "./describeAccounts.ts";
import { byRankKey, rankKey } from "./rankKeys.ts";
import { countTransactions } from "./transactionCounts.ts";

export const MAX_ACCOUNTS = 20_000;

/** Milliseconds to keep a ranking, however many blocks arrive. */
export const RANKING_AGE = 30_000;

/** Milliseconds that a request waits for a ranking in progress. */
const TIMEOUT = 5000;

const BATCH_SIZE = 500;

interface RankedAccount {
  readonly address: Bytes;
  readonly balance: bigint;
  readonly key: RankCursor["key"];
}

interface Ranking {
  readonly range: IndexedRange;
  readonly accounts: readonly RankedAccount[];
  readonly total: bigint;
  readonly made: number;
  readonly sorted: Map<string, readonly RankedAccount[]>;
}

export const ACCOUNT_SORTS = ["balance", "transactions_count"] as const;

export interface AccountOrder {
  readonly sort: (typeof ACCOUNT_SORTS)[number];
  readonly order: Order;
}

export const RICHEST_FIRST: AccountOrder = { sort: "balance", order: "desc" };

/** Ranks all indexed addresses by the node's balances at one block. */
export class AccountRanking {
  readonly #store: StoreReader;
  readonly #state: Pick<NodeState, "balances">;
  readonly #max: number;
  #ranking: Ranking | undefined;
  #flight: Promise<Ranking | undefined> | undefined;

  constructor(store: StoreReader, state: Pick<NodeState, "balances">, max = MAX_ACCOUNTS) {
    this.#store = store;
    this.#state = state;
    this.#max = max;
  }

  async list(request: PageRequest<RankCursor>, by: AccountOrder = RICHEST_FIRST): Promise<AccountPage> {
    const ranking = await this.#current();
    const { total = 0n } = ranking ?? {};
    const accounts = ranking === undefined ? [] : await this.#sorted(ranking, by);
    const from = firstAfterCursor(accounts, request);
    const shown = accounts.slice(from, from + request.pageSize);
    const last = from + request.pageSize < accounts.length ? shown.at(-1)?.key : undefined;
    const rows = await this.#store.read((session) => describeAccounts(session, shown));
    return { ...rows, total, info: rankedPageInfo(request, ranking?.range, accounts.length, last) };
  }

  /** A recent ranking of a canonical block, or the next one, shared by all waiting requests. */
  async #current(): Promise<Ranking | undefined> {
    const known = this.#ranking;
    if (known !== undefined && performance.now() - known.made < RANKING_AGE && (await this.#isCanonical(known))) {
      return known;
    }
    this.#flight ??= this.#make().finally(() => {
      this.#flight = undefined;
    });
    return withTimeout(this.#flight, TIMEOUT, () => {
      throw new ChainError("upstream_unavailable", "the node is being asked for the balances of all accounts");
    });
  }

  async #sorted(ranking: Ranking, { sort, order }: AccountOrder): Promise<readonly RankedAccount[]> {
    const name = `${sort} ${order}`;
    if (name === `${RICHEST_FIRST.sort} ${RICHEST_FIRST.order}`) return ranking.accounts;
    const known = ranking.sorted.get(name);
    if (known !== undefined) return known;
    const values =
      sort === "balance"
        ? ranking.accounts.map(({ balance }) => balance)
        : await countTransactions(
            this.#store,
            ranking.accounts.map(({ address }) => address),
          );
    const keyed = ranking.accounts.map((account, at): RankedAccount => {
      return { ...account, key: rankKey(values[at] ?? 0n, order, at) };
    });
    const sorted = await sortInTurns(keyed, byRankKey);
    ranking.sorted.set(name, sorted);
    return sorted;
  }

  #isCanonical({ range: { tip } }: Ranking): Promise<boolean> {
    return this.#store.read(async ({ blocks }) => {
      const now = await blocks.tipAt(tip.number);
      return now !== undefined && equalBytes(now.hash, tip.hash);
    });
  }

  async #make(): Promise<Ranking | undefined> {
    const seen = await this.#store.read(async (session) => {
      const range = await readIndexedRange(session);
      if (range === undefined) return undefined;
      return { range, addresses: await session.addresses.some(this.#max + 1) };
    });
    if (seen === undefined) return undefined;
    const { range, addresses } = seen;
    if (addresses.length > this.#max) {
      throw new ChainError("limit_exceeded", `the index has seen over ${this.#max} addresses`);
    }
    const found: RankedAccount[] = [];
    for (let at = 0; at < addresses.length; at += BATCH_SIZE) {
      const part = addresses.slice(at, at + BATCH_SIZE);
      const balances = await this.#state.balances(part, range.tip);
      for (const address of part) {
        const balance = balances.get(toHex(address));
        if (balance === undefined) throw new ChainError("upstream_unavailable", "the node does not say the balances");
        if (balance > 0n) found.push({ address, balance, key: accountKey({ address, balance }) });
      }
    }
    const accounts = await sortInTurns(found, byRankKey);
    const total = accounts.reduce((sum, { balance }) => sum + balance, 0n);
    this.#ranking = { range, accounts, total, made: performance.now(), sorted: new Map() };
    return this.#ranking;
  }
}
