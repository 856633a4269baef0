import { settleAll } from "../../../../std/async.ts";
import type { Row, Writer } from "../../../engine/database.ts";
import { writeSigned } from "../../../rows/signedAmount.ts";
import type { AssetRule } from "./assets.ts";
import type { HoldingChange } from "./holdings.ts";

const COLUMNS = ["token", "amount", "item", "address"] as const;

/** Per token (one entry per item held), and per item. */
export const HOLDER_LISTS = { tokens: 0, items: 1 } as const;

type RankRow = [token: number, amount: Uint8Array, item: number, address: number];

/** Changes per batch: a block may have a hundred thousand. */
const CHANGE_BATCH_SIZE = 8192;

/** Updates the ranking of ERC-1155 item holders. */
export async function rankItemHolders(
  writer: Writer,
  changes: readonly HoldingChange[],
  rule: Pick<AssetRule, "itemOf">,
): Promise<void> {
  for (let at = 0; at < changes.length; at += CHANGE_BATCH_SIZE) {
    await rankSome(writer, changes.slice(at, at + CHANGE_BATCH_SIZE), rule);
  }
}

async function rankSome(
  writer: Writer,
  changes: readonly HoldingChange[],
  { itemOf }: Pick<AssetRule, "itemOf">,
): Promise<void> {
  const ranks = (moment: "before" | "after") =>
    changes.flatMap((change): RankRow[] => {
      const token = change.before === change.after || change[moment] <= 0n ? undefined : itemOf(change.asset);
      return token === undefined ? [] : [[token, writeSigned(change[moment]), change.asset, change.address]];
    });
  const [old, fresh] = [ranks("before"), ranks("after")];
  await writer.remove("item_holder", COLUMNS, old.sort(byKey));
  await writer.insert("item_holder", COLUMNS, fresh.sort(byKey));
  await settleAll([
    count(writer, HOLDER_LISTS.tokens, old, fresh, ([token]) => token),
    count(writer, HOLDER_LISTS.items, old, fresh, ([, , item]) => item),
  ]);
}

function byKey(a: RankRow, b: RankRow): number {
  return a[0] - b[0] || Buffer.compare(a[1], b[1]) || a[2] - b[2] || a[3] - b[3];
}

async function count(
  writer: Writer,
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
  const counts = new Map(await writer.load<[number, number]>(sql, owners));
  const rows = owners.map((owner): Row => [list, owner, (counts.get(owner) ?? 0) + (added.get(owner) ?? 0)]);
  const gone = rows.filter((row) => row[2] === 0).map(([, owner]): Row => [list, owner!]);
  await writer.remove("item_holder_count", ["list", "owner"], gone);
  const kept = rows.filter((row) => row[2] !== 0);
  await writer.upsert("item_holder_count", ["list", "owner", "holders"], kept, 2);
}
