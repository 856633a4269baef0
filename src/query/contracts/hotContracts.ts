import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import { sortInTurns } from "../../std/async.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { StoreReader } from "../../store/storeReader.ts";
import type { QueryContext } from "../context.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { readIndexedRange } from "../indexedRange.ts";
import type { Order } from "../listWalk.ts";
import type { PageInfo, PageRequest, RankCursor } from "../pages.ts";
import { firstAfterCursor, rankedPageInfo } from "../pages.ts";
import { byRankKey, rankKey } from "../ranking/rankKeys.ts";
import { readInParts } from "../readInParts.ts";
import { totalsBefore } from "../stats/chainFigures.ts";

const SCALES = { "5m": 300, "1h": 3600, "3h": 10_800, "1d": 86_400, "7d": 604_800, "30d": 2_592_000 } as const;

type Scale = keyof typeof SCALES;

export const HOT_SORTS = ["transactions_count", "total_gas_used"] as const;

export const MAX_HOT_TRANSACTIONS = 50_000;

/** Milliseconds to keep counts, however many blocks arrive. */
const COUNTS_AGE = 30_000;

const BATCH_SIZE = 500;

interface CalledContract {
  readonly address: Bytes;
  readonly transactions: number;
  readonly gasUsed: bigint;
}

export interface HotContract extends CalledContract {
  /** Wei; undefined if the node does not answer. */
  readonly balance: bigint | undefined;
}

interface Counts {
  readonly contracts: readonly CalledContract[];
  readonly range: IndexedRange | undefined;
}

interface HotContractPage {
  readonly contracts: readonly HotContract[];
  readonly addresses: AddressInfos;
  readonly info: PageInfo;
}

export async function listHotContracts(
  { store, node }: QueryContext,
  { scale, sort, order }: { readonly scale: Scale; readonly sort: (typeof HOT_SORTS)[number]; readonly order: Order },
  request: PageRequest<RankCursor>,
  max = MAX_HOT_TRANSACTIONS,
): Promise<HotContractPage> {
  const { contracts, range } = await countedFor(store, scale, max);
  const measureOf = ({ transactions, gasUsed }: CalledContract) =>
    sort === "transactions_count" ? BigInt(transactions) : gasUsed;
  const keyed = contracts.map((contract, at) => ({ contract, key: rankKey(measureOf(contract), order, at) }));
  const ranked = await sortInTurns(keyed, byRankKey);
  const from = firstAfterCursor(ranked, request);
  const shown = ranked.slice(from, from + request.pageSize).map(({ contract }) => contract);
  const last = from + request.pageSize < ranked.length ? ranked[from + request.pageSize - 1]?.key : undefined;
  const own = shown.map(({ address }) => address);
  const balances = range && (await node?.state.balances(own, range.tip));
  return {
    contracts: shown.map((contract) => ({ ...contract, balance: balances?.get(toHex(contract.address)) })),
    addresses: await store.read(({ addresses }) => addresses.infos(own)),
    info: rankedPageInfo(request, range, ranked.length, last),
  };
}

interface CachedCounts {
  readonly counts: Promise<Counts>;
  expires: number;
}

/** Concurrent requests share one count. */
const kept = new WeakMap<StoreReader, Map<Scale, CachedCounts>>();

function countedFor(store: StoreReader, scale: Scale, max: number): Promise<Counts> {
  const byScale = kept.get(store) ?? new Map<Scale, CachedCounts>();
  kept.set(store, byScale);
  const known = byScale.get(scale);
  if (known !== undefined && performance.now() < known.expires) return known.counts;
  const counted: CachedCounts = { counts: countCalls(store, SCALES[scale], max), expires: Number.POSITIVE_INFINITY };
  byScale.set(scale, counted);
  counted.counts.then(
    () => {
      counted.expires = performance.now() + COUNTS_AGE;
    },
    () => {
      counted.expires = 0;
    },
  );
  return counted.counts;
}

async function countCalls(store: StoreReader, seconds: number, max: number): Promise<Counts> {
  return readInParts(store, Number.MAX_SAFE_INTEGER, async (parts) => {
    const window = await parts.read(async (session) => {
      const range = await readIndexedRange(session);
      if (range === undefined) return undefined;
      const firstBlock = await session.blocks.firstAfter(range.tip.latest - seconds, range.first, range.tip.number);
      return { range, from: (await totalsBefore(session, firstBlock)).transactions };
    });
    if (window === undefined) return { contracts: [], range: undefined };
    const { range, from } = window;
    const end = range.tip.totals.transactions;
    if (end - from > max) {
      throw new ChainError("limit_exceeded", `there are ${end - from} transactions; at most ${max} are looked at`);
    }
    const calls = new Map<Hex, { transactions: number; gasUsed: bigint }>();
    for (let to = end; to > from; to -= BATCH_SIZE) {
      await parts.read(async ({ transactions, addresses }) => {
        const list = transactions.all(range.first, range.tip);
        const mined = await transactions.at(await list.slice(Math.max(to - BATCH_SIZE, from), to));
        const infos = await addresses.infos(mined.flatMap(({ transaction }) => transaction.to ?? []));
        for (const { transaction, receipt } of mined.reverse()) {
          if (transaction.to === null || infos.get(transaction.to)?.runsCode !== true) continue;
          const key = toHex(transaction.to);
          const counted = calls.get(key) ?? { transactions: 0, gasUsed: 0n };
          calls.set(key, {
            transactions: counted.transactions + 1,
            gasUsed: counted.gasUsed + BigInt(receipt.gasUsed),
          });
        }
      });
    }
    const contracts = [...calls].map(([address, counted]) => ({ address: fromHex(address), ...counted }));
    return { contracts, range };
  });
}
