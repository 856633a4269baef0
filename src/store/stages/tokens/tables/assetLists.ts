import { EMPTY } from "../../../../chain/encoding/bytes.ts";
import { itemAt } from "../../../../std/values.ts";
import type { Reader } from "../../../engine/database.ts";
import { keysetPages } from "../../../engine/keysetPages.ts";
import type { AssetList, AssetMove } from "./assetCounts.ts";
import { ASSET_LISTS, MAX_UNLISTED } from "./assetCounts.ts";
import type { HoldingRow } from "./assets.ts";
import { HOLDING_TABLES, movesOfRows } from "./assets.ts";

const BATCH_SIZE = 10_000;

/** In listing order. */
export async function* listedMoves(db: Reader): AsyncGenerator<AssetMove> {
  let few: AssetMove[] = [];
  let [owner, holdings] = [-1, 0];
  for await (const move of inOrder(db)) {
    if (move.address !== owner) [owner, holdings, few] = [move.address, 0, []];
    holdings++;
    if (holdings <= MAX_UNLISTED) few.push(move);
    if (holdings === MAX_UNLISTED + 1) yield* few;
    if (holdings > MAX_UNLISTED) yield move;
  }
}

/** Address by address. */
async function* inOrder(db: Reader): AsyncGenerator<AssetMove> {
  const lists = Object.values(ASSET_LISTS).map((list) => holdingsOf(db, list));
  const next = await Promise.all(lists.map((list) => list.next()));
  for (;;) {
    const addresses = next.map(({ done, value }) => (done === true ? Number.POSITIVE_INFINITY : value.address));
    const first = addresses.indexOf(Math.min(...addresses));
    const move = itemAt(next, first);
    if (move.done === true) return;
    yield move.value;
    next[first] = await itemAt(lists, first).next();
  }
}

async function* holdingsOf(db: Reader, list: AssetList): AsyncGenerator<AssetMove, undefined> {
  const sql = `SELECT address, asset, value FROM ${HOLDING_TABLES[list]} WHERE (address, asset) > (?, ?) ORDER BY 1, 2 LIMIT ?`;
  const pages = keysetPages<HoldingRow>(BATCH_SIZE, ([address, asset] = [-1, -1, EMPTY], count) =>
    db.all(sql, address, asset, count),
  );
  for await (const rows of pages) {
    const moves = await movesOfRows(db, list === ASSET_LISTS.tokens ? { tokens: rows } : { items: rows });
    yield* moves.filter((move) => move.list === list);
  }
}
