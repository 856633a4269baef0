import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { mapInTurns } from "../../std/turn.ts";
import type { SourceHead } from "../../store/contracts/sources.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { VerifiedContract } from "../../verify/verification.ts";
import type { QueryContext } from "../context.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { readIndexedRange } from "../indexedRange.ts";
import type { PageInfo, PageRequest, RankCursor } from "../pages.ts";
import { rankedPageInfo } from "../pages.ts";

/** The largest page: the whole source of each is read. */
export const MOST_CONTRACTS = 50;

/** A verified contract in a list. */
export interface ListedContract extends SourceHead {
  readonly language: string;
  readonly hasConstructorArguments: boolean;
  /** In wei; undefined where the node does not say. */
  readonly balance: bigint | undefined;
  /** Sent by it, sent to it or creating it. */
  readonly transactions: number;
}

export interface ContractPage {
  readonly contracts: readonly ListedContract[];
  readonly addresses: AddressInfos;
  readonly info: PageInfo;
}

/** The contracts that a source was verified for, those verified last first. */
export async function listVerifiedContracts(
  { store, node, sources }: QueryContext,
  asked: PageRequest<RankCursor>,
): Promise<ContractPage> {
  const request = { ...asked, pageSize: Math.min(asked.pageSize, MOST_CONTRACTS) };
  const { page, pageSize, cursor } = request;
  const window = cursor === undefined ? { skip: (page - 1) * pageSize } : { skip: 0, below: NEWEST - cursor.key[1] };
  const found = (await sources?.verifiedSources({ ...window, limit: pageSize + 1 })) ?? [];
  const shown = found.slice(0, pageSize);
  const last = found.length > pageSize ? shown.at(-1) : undefined;
  const own = shown.map(({ address }) => address);
  const { range, addresses, counts } = await store.read(async (session) => ({
    range: await readIndexedRange(session),
    addresses: await session.addresses.infos(own),
    counts: await session.addresses.transactionCounts(own),
  }));
  const balances = await readBalances(node, own, range);
  const total = (await sources?.countVerified(0)) ?? 0;
  return {
    contracts: await mapInTurns(shown, ({ record, ...head }, at) => {
      const { language, constructorArguments = "0x" } = JSON.parse(record) as VerifiedContract;
      const balance = balances?.get(toHex(head.address));
      const transactions = counts[at] ?? 0;
      return { ...head, language, hasConstructorArguments: constructorArguments !== "0x", balance, transactions };
    }),
    addresses,
    info: rankedPageInfo(request, range, total, last && [0n, NEWEST - last.id]),
  };
}

/** Ids descend in the list, and keys ascend. */
const NEWEST = Number.MAX_SAFE_INTEGER;

async function readBalances(
  node: QueryContext["node"],
  addresses: readonly Bytes[],
  range: IndexedRange | undefined,
): Promise<ReadonlyMap<string, bigint> | undefined> {
  return range && node?.state.balances(addresses, range.tip);
}
