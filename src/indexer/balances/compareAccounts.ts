import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { Source } from "../../chain/source.ts";
import { itemAt } from "../../std/values.ts";
import type { ReadSession } from "../../store/session.ts";
import type { RankedBalance } from "../../store/stages/native/nativeReads.ts";
import type { StoreReader } from "../../store/storeReader.ts";
import { BalanceReader } from "./balanceReader.ts";

interface AccountComparison {
  readonly asked: number;
  readonly differing: readonly string[];
}

interface AccountSample {
  readonly number: number;
  readonly hash: Bytes;
  readonly accounts: readonly RankedBalance[];
}

/** Compares up to `count` stored balances with the node; undefined if none are stored. */
export async function compareAccounts(
  store: StoreReader,
  source: Pick<Source, "requests" | "hashes">,
  count: number,
): Promise<AccountComparison | undefined> {
  const sample = await store.read((session) => sampleAccounts(session, count));
  if (sample === undefined) return undefined;
  const { accounts, ...at } = sample;
  const addresses = accounts.map(({ address }) => address);
  const balances = await new BalanceReader(source).read({ ...at, addresses });
  const differing = balances.flatMap(({ address, balance }, place) => {
    const kept = itemAt(accounts, place).balance;
    return kept === balance ? [] : [`${toHex(address)} has ${balance} after block ${at.number}, and ${kept} is kept`];
  });
  return { asked: accounts.length, differing };
}

async function sampleAccounts({ native, blocks }: ReadSession, count: number): Promise<AccountSample | undefined> {
  const tip = await native.tip();
  const block = tip && (await blocks.tipAt(tip.number));
  if (tip === undefined || block === undefined || tip.accounts === 0) return undefined;
  const ranks = new Set<number>();
  const wanted = Math.min(count, tip.accounts);
  while (ranks.size < wanted) ranks.add(Math.floor(Math.random() * tip.accounts));
  const accounts: RankedBalance[] = [];
  for (const rank of ranks) accounts.push(...(await native.fromRank(rank, 1)));
  return { number: block.number, hash: block.hash, accounts };
}
