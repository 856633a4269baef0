import type { Database, Row } from "../../engine/database.ts";
import { keysetPages } from "../../engine/keysetPages.ts";
import type { AssetRule, HoldingRow } from "../assets/assets.ts";
import { asReceived, readAssetRule } from "../assets/assets.ts";
import type { HoldingChange } from "../ledger/holdings.ts";
import { writeSigned } from "../ledger/signedAmount.ts";

const COLUMNS = ["token", "amount", "item", "address"] as const;

/** Whose holders are counted: those of all items of a token, one for each item they have, and those of an item. */
export const HOLDER_LISTS = { tokens: 0, items: 1 } as const;

type RankRow = [token: number, amount: Uint8Array, item: number, address: number];

/** Changes whose rows are in memory at a time: a block may have a hundred thousand. */
const CHANGES_AT_ONCE = 8192;

/** Moves the holders of the items of ERC-1155 tokens to where their balances now put them. */
export async function rankItemHolders(
  database: Database,
  changes: readonly HoldingChange[],
  rule: Pick<AssetRule, "itemOf">,
): Promise<void> {
  for (let at = 0; at < changes.length; at += CHANGES_AT_ONCE) {
    await rankSome(database, changes.slice(at, at + CHANGES_AT_ONCE), rule);
  }
}

async function rankSome(
  database: Database,
  changes: readonly HoldingChange[],
  { itemOf }: Pick<AssetRule, "itemOf">,
): Promise<void> {
  const ranks = (moment: "before" | "after") =>
    changes.flatMap((change): RankRow[] => {
      const token = change.before === change.after || change[moment] <= 0n ? undefined : itemOf(change.asset);
      return token === undefined ? [] : [[token, writeSigned(change[moment]), change.asset, change.address]];
    });
  const [old, fresh] = [ranks("before"), ranks("after")];
  await database.remove("item_holder", COLUMNS, old.sort(byKey));
  await database.insert("item_holder", COLUMNS, fresh.sort(byKey));
  await count(database, HOLDER_LISTS.tokens, old, fresh, ([token]) => token);
  await count(database, HOLDER_LISTS.items, old, fresh, ([, , item]) => item);
}

function byKey(a: RankRow, b: RankRow): number {
  return a[0] - b[0] || Buffer.compare(a[1], b[1]) || a[2] - b[2] || a[3] - b[3];
}

async function count(
  database: Database,
  list: number,
  old: readonly RankRow[],
  fresh: readonly RankRow[],
  ownerOf: (row: RankRow) => number,
): Promise<void> {
  const added = new Map<number, number>();
  const add = (owner: number, by: number) => added.set(owner, (added.get(owner) ?? 0) + by);
  for (const row of old) add(ownerOf(row), -1);
  for (const row of fresh) add(ownerOf(row), 1);
  const owners = [...added].filter(([, by]) => by !== 0).map(([owner]) => owner);
  if (owners.length === 0) return;
  const sql = `SELECT owner, holders FROM item_holder_count WHERE list = ${list} AND owner IN ($keys)`;
  const counts = new Map(await database.load<[number, number]>(sql, owners));
  const rows = owners.map((owner): Row => [list, owner, (counts.get(owner) ?? 0) + (added.get(owner) ?? 0)]);
  const gone = rows.filter((row) => row[2] === 0).map(([, owner]): Row => [list, owner!]);
  await database.remove("item_holder_count", ["list", "owner"], gone);
  const kept = rows.filter((row) => row[2] !== 0);
  await database.upsert("item_holder_count", ["list", "owner", "holders"], kept, 2);
}

const HOLDINGS_AT_ONCE = 10_000;

/** Derives the ranking from the balances that are there. */
export async function fillItemHolders(database: Database): Promise<void> {
  const sql =
    "SELECT address, asset, value FROM item_holding WHERE (address, asset) > (?, ?) ORDER BY address, asset LIMIT ?";
  const pages = keysetPages<HoldingRow>(HOLDINGS_AT_ONCE, (last, count) =>
    database.all(sql, last?.[0] ?? -1, last?.[1] ?? -1, count),
  );
  for await (const rows of pages) {
    const items = rows.map(asReceived);
    await rankItemHolders(database, items, await readAssetRule(database, { tokens: [], items }));
  }
}
