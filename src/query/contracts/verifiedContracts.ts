import type { Bytes } from "../../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import { mapInTurns } from "../../std/async.ts";
import type { ContractMatch, NamedContract } from "../../store/contracts/contractNames.ts";
import type { SourceHead } from "../../store/contracts/sources.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { VerifiedContract } from "../../verify/verification.ts";
import type { QueryContext } from "../context.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { readIndexedRange } from "../indexedRange.ts";
import type { Order } from "../listWalk.ts";
import type { PageInfo, PageRequest, RankCursor } from "../pages.ts";
import { firstAfterCursor, rankedPageInfo } from "../pages.ts";
import { byRankKey, rankKey } from "../ranking/rankKeys.ts";
import { countTransactions } from "../ranking/transactionCounts.ts";
import type { SearchQuery } from "../searchQuery.ts";

/** The whole source of each contract is read. */
export const MAX_CONTRACTS = 50;

/** Contracts that can be sorted by chain data. */
export const MAX_SORTED_CONTRACTS = 5000;

export const CONTRACT_SORTS = ["balance", "transactions_count"] as const;

export interface ContractFilter {
  readonly search: SearchQuery | undefined;
  /** As in the compiler input. */
  readonly language: string | undefined;
  /** Defaults to verification time, newest first. */
  readonly sort: (typeof CONTRACT_SORTS)[number] | undefined;
  readonly order: Order;
}

export const NEWEST_FIRST: ContractFilter = { search: undefined, language: undefined, sort: undefined, order: "desc" };

export interface ListedContract extends SourceHead {
  readonly hasConstructorArguments: boolean;
  /** Wei; undefined if the node does not answer. */
  readonly balance: bigint | undefined;
  /** Sent, received or creating. */
  readonly transactions: number;
}

interface ContractPage {
  readonly contracts: readonly ListedContract[];
  readonly addresses: AddressInfos;
  readonly info: PageInfo;
}

export async function listVerifiedContracts(
  context: QueryContext,
  filter: ContractFilter,
  asked: PageRequest<RankCursor>,
  maxSorted = MAX_SORTED_CONTRACTS,
): Promise<ContractPage> {
  const request = { ...asked, pageSize: Math.min(asked.pageSize, MAX_CONTRACTS) };
  const found = await findContracts(context, filter);
  if (filter.sort !== undefined && found.length > maxSorted) {
    throw new ChainError("limit_exceeded", `there are ${found.length} such contracts; at most ${maxSorted} are sorted`);
  }
  const ranked = await rankContracts(context, found, filter);
  const from = firstAfterCursor(ranked, request);
  const shown = ranked.slice(from, from + request.pageSize);
  const last = from + request.pageSize < ranked.length ? shown.at(-1)?.key : undefined;
  const { range, ...page } = await readContracts(
    context,
    shown.map(({ contract }) => contract.id),
  );
  return { ...page, info: rankedPageInfo(request, range, ranked.length, last) };
}

async function findContracts(
  { sources }: QueryContext,
  { search, language }: ContractFilter,
): Promise<readonly ContractMatch[]> {
  const verified = sources?.verifiedContracts;
  if (verified === undefined) return [];
  const address = search?.address && toHex(search.address);
  const all = () => verified.newestFirst().map((contract) => ({ contract, rank: 0 }));
  const found =
    search?.text === undefined
      ? all().filter(({ contract }) => search === undefined || contract.address === address)
      : await verified.find(search.text);
  return language === undefined ? found : found.filter(({ contract }) => contract.language === language);
}

interface RankedContract {
  readonly contract: NamedContract;
  readonly key: RankCursor["key"];
}

/** Ids descend in the list while keys ascend. */
const NEWEST = Number.MAX_SAFE_INTEGER;

/** By default in search order: match quality, then newest first. */
async function rankContracts(
  context: QueryContext,
  found: readonly ContractMatch[],
  { sort, order }: ContractFilter,
): Promise<readonly RankedContract[]> {
  if (sort === undefined) {
    return found.map(({ contract, rank }) => ({ contract, key: [BigInt(rank), NEWEST - contract.id] }));
  }
  const addresses = found.map(({ contract }) => fromHex(contract.address));
  const values = await (sort === "balance"
    ? readBalances(context, addresses)
    : countTransactions(context.store, addresses));
  const ranked = found.map(({ contract }, at): RankedContract => {
    return { contract, key: rankKey(values[at] ?? 0n, order, NEWEST - contract.id) };
  });
  return ranked.sort(byRankKey);
}

const BATCH_SIZE = 500;

/** All at one block, so that the order is consistent. */
async function readBalances({ store, node }: QueryContext, addresses: readonly Bytes[]): Promise<bigint[]> {
  const range = await store.read(readIndexedRange);
  const balances: bigint[] = [];
  for (let at = 0; at < addresses.length; at += BATCH_SIZE) {
    const part = addresses.slice(at, at + BATCH_SIZE);
    const known = range && (await node?.state.balances(part, range.tip));
    for (const address of part) {
      const balance = known?.get(toHex(address));
      if (balance === undefined) throw new ChainError("upstream_unavailable", "the node does not say the balances");
      balances.push(balance);
    }
  }
  return balances;
}

async function readContracts({ store, node, sources }: QueryContext, ids: readonly number[]) {
  const shown = (await sources?.verifiedSources(ids)) ?? [];
  const own = shown.map(({ address }) => address);
  const { range, addresses, counts } = await store.read(async (session) => ({
    range: await readIndexedRange(session),
    addresses: await session.addresses.infos(own),
    counts: await session.addresses.transactionCounts(own),
  }));
  const balances = await askBalances(node, own, range);
  const contracts = await mapInTurns(shown, ({ record, ...head }, at): ListedContract => {
    const { constructorArguments = "0x" } = JSON.parse(record) as VerifiedContract;
    const balance = balances?.get(toHex(head.address));
    return { ...head, hasConstructorArguments: constructorArguments !== "0x", balance, transactions: counts[at] ?? 0 };
  });
  return { contracts, addresses, range };
}

async function askBalances(
  node: QueryContext["node"],
  addresses: readonly Bytes[],
  range: IndexedRange | undefined,
): Promise<ReadonlyMap<string, bigint> | undefined> {
  return range && node?.state.balances(addresses, range.tip);
}
