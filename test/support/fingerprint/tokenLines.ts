import type { Bytes } from "../../../src/chain/encoding/bytes.ts";
import type { Reader } from "../../../src/store/engine/database.ts";
import { dictionaryKeys } from "../../../src/store/keys/keyTable.ts";
import type { ReadSession } from "../../../src/store/session.ts";
import { ASSET_LISTS, assetCounts } from "../../../src/store/stages/tokens/tables/assetCounts.ts";
import { depositCodec } from "../../../src/store/stages/tokens/tables/depositLedger.ts";
import { HOLDER_LISTS } from "../../../src/store/stages/tokens/tables/itemHolderRanking.ts";
import {
  addressTransfers,
  itemTransfers,
  readItem,
  tokenItems,
  tokenTransfers,
} from "../../../src/store/stages/tokens/tables/tokenTables.ts";
import { readTransfer } from "../../../src/store/stages/tokens/tables/transferBody.ts";
import type { ListReads } from "../../../src/store/tables/list.ts";
import { keyEntries } from "./keyLines.ts";

type Names = ReadonlyMap<number, string>;

/** All data of the tokens stage by value, never by id, as ordered lines. */
export async function* tokenLines({ db, addressHasher }: ReadSession, addresses: Names): AsyncGenerator<unknown[]> {
  const hexOf = (value: Bytes) => Buffer.from(value).toString("hex");
  const items = await names(db, "item", (value) => {
    const { token, tokenId } = readItem(value);
    return `${addresses.get(token)}#${hexOf(tokenId)}`;
  });
  yield* blockLines(db);
  for (const [position, body] of await db.all<[number, Bytes]>("SELECT position, body FROM transfer ORDER BY 1")) {
    const { token, from, to, item, amount, ...rest } = readTransfer(body);
    const parties = [token, from, to].map((id) => addresses.get(id));
    yield ["transfer", position, rest, parties, items.get(item), hexOf(amount)];
  }
  yield ["token_transfer", await listLines(tokenTransfers(db), addresses)];
  yield ["address_transfer", await listLines(addressTransfers(db), addresses)];
  yield ["token_item", await listLines(tokenItems(db), addresses, items)];
  yield ["item_transfer", await listLines(itemTransfers(db), items)];
  yield ["item_holder", await itemHolderLines(db, addresses, items)];
  const states = await db.all<[number, Bytes]>("SELECT id, value FROM token");
  const ranks = await db.all<[number, number, number]>("SELECT list, rank, token FROM token_rank");
  yield ["token_rank", ranks.map(([list, rank, token]) => [list, rank, addresses.get(token)].join()).sort()];
  yield ["token_rank_count", await db.all("SELECT list, tokens FROM token_rank_count ORDER BY 1")];
  yield ["token", states.map(([id, value]) => `${addresses.get(id)} ${hexOf(value)}`).sort()];
  yield ["wrapper", await wrapperLines(db, addresses)];
  yield ["asset", await assetLines(db, addresses, items)];
  yield ["asset_count", await countLines(db, addresses)];
  for (const [table, assets] of [
    ["holding", addresses],
    ["item_holding", items],
  ] as const) {
    const named = ([address, asset, value]: [number, number, Bytes]) =>
      [addresses.get(address), assets.get(asset), hexOf(value)].join();
    const rows = await db.all<[number, number, Bytes]>(`SELECT address, asset, value FROM ${table}`);
    yield [table, rows.map(named).sort()];
  }
  const runs = await db.all<[number, number, number, Bytes]>("SELECT address, asset, ordinal, body FROM holding_run");
  yield [
    "holding_run",
    runs
      .map(([address, asset, ordinal, body]) =>
        [addresses.get(address), addresses.get(asset), ordinal, hexOf(body)].join(),
      )
      .sort(),
  ];
  const ranked = await db.all<[number, Bytes, number]>("SELECT token, amount, address FROM holder");
  const shown = ranked.map(([token, amount, address]) => [addresses.get(token), hexOf(amount), addresses.get(address)]);
  yield ["holder", shown.map(String).sort()];
  const values = new Map(await db.all<[number, Bytes]>("SELECT id, value FROM item"));
  const isFound = (key: number, id: number) => values.has(id) && addressHasher.key(values.get(id)!) === key;
  const keys = await keyEntries(db, dictionaryKeys("item"));
  yield ["item", keys.map(([key, id]) => `${items.get(id)} ${isFound(key, id)}`).sort()];
}

async function* blockLines(db: Reader): AsyncGenerator<unknown[]> {
  const hexOf = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value);
  for (const table of ["token_block", "transfer_count", "omitted_transfer"]) {
    const rows = await db.all(`SELECT * FROM ${table} ORDER BY 1`);
    yield [table, rows.map((row) => row.map(hexOf).join(" "))];
  }
}

async function wrapperLines(db: Reader, addresses: Names): Promise<string[]> {
  const rows = await db.all<[number, Bytes]>("SELECT id, value FROM wrapper");
  const lines = rows.map(([id, value]) => {
    const { phase, balances } = depositCodec.read(value);
    const shown = [...balances].map(([address, amount]) => `${addresses.get(address)} ${amount}`).sort();
    return `${addresses.get(id)} ${phase} ${shown}`;
  });
  return lines.sort();
}

async function assetLines(db: Reader, addresses: Names, items: Names): Promise<string[]> {
  const rows = await db.all<[number, number, number]>("SELECT address, list, asset FROM asset");
  const nameOf = (list: number, asset: number) => (list === ASSET_LISTS.tokens ? addresses : items).get(asset);
  return rows.map(([address, list, asset]) => `${addresses.get(address)} ${nameOf(list, asset)}`).sort();
}

async function itemHolderLines(db: Reader, addresses: Names, items: Names): Promise<string[]> {
  const rows = await db.all<[Bytes, number, number]>("SELECT amount, item, address FROM item_holder");
  const ranked = rows.map(([amount, item, address]) =>
    [items.get(item), Buffer.from(amount).toString("hex"), addresses.get(address)].join(" "),
  );
  const counts = await db.all<[number, number, number]>("SELECT list, owner, holders FROM item_holder_count");
  const nameOf = (list: number, owner: number) => (list === HOLDER_LISTS.tokens ? addresses : items).get(owner);
  return [...ranked, ...counts.map(([list, owner, holders]) => `${nameOf(list, owner)} ${holders}`)].sort();
}

/** Ranges are of ids, and so no values: what they add up to is one. */
async function countLines(db: Reader, addresses: Names): Promise<string[]> {
  const rows = await db.all<[number, Bytes]>("SELECT id, value FROM asset_count");
  const lines = rows.map(([id, value]) => {
    const { holdings, lists } = assetCounts.read(value);
    const totals = lists.map((ranges) => [...ranges.values()].reduce((sum, count) => sum + count, 0));
    return `${addresses.get(id)} ${holdings} ${totals}`;
  });
  return lines.sort();
}

async function names(db: Reader, table: string, nameOf: (value: Bytes) => string): Promise<Names> {
  const rows = await db.all<[number, Bytes]>(`SELECT id, value FROM ${table}`);
  return new Map(rows.map(([id, value]) => [id, nameOf(value)]));
}

async function listLines(list: ListReads<string, string>, owners: Names, entriesBy?: Names): Promise<string[]> {
  const lines: string[] = [];
  for await (const { owner, count, entries } of list.owners()) {
    const shown = entries.map(({ position }) => entriesBy?.get(position) ?? position);
    lines.push(JSON.stringify([owners.get(owner), count, shown]));
  }
  return lines.sort();
}
