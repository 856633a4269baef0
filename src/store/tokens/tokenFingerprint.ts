import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Engine, Row } from "../engine/engine.ts";
import type { PositionList } from "../list.ts";
import type { Store } from "../store.ts";
import { ASSET_LISTS, assetCounts } from "./assetCounts.ts";
import { readItem, TokenTables } from "./tokenTables.ts";
import { readTransfer } from "./transferBody.ts";
import { wrapperCodec } from "./wrapper.ts";

type Names = ReadonlyMap<number, string>;

/** Everything the tokens stage says, by value and never by id, as lines in an order of their own. */
export async function* tokenLines({ engine, hash }: Store, addresses: Names): AsyncGenerator<unknown[]> {
  const tables = new TokenTables(engine, hash);
  const hex = (value: unknown) => Buffer.from(value as Bytes).toString("hex");
  const items = await names(engine, "item", (value) => {
    const { token, tokenId } = readItem(value);
    return `${addresses.get(token)}#${hex(tokenId)}`;
  });
  yield* blockLines(engine);
  for (const [position, body] of await engine.all("SELECT position, body FROM transfer ORDER BY 1")) {
    const { token, from, to, item, amount, ...rest } = readTransfer(body as Bytes);
    const parties = [token, from, to].map((id) => addresses.get(id));
    yield ["transfer", position, rest, parties, items.get(item), hex(amount)];
  }
  yield ["token_transfer", await listLines(tables.tokenTransfers, addresses)];
  yield ["address_transfer", await listLines(tables.addressTransfers, addresses)];
  yield ["token_item", await listLines(tables.tokenItems, addresses, items)];
  const states = await engine.all("SELECT id, value FROM token");
  const ranks = await engine.all("SELECT list, rank, token FROM token_rank");
  yield ["token_rank", ranks.map(([list, rank, token]) => [list, rank, addresses.get(token as number)].join()).sort()];
  yield ["token_rank_count", await engine.all("SELECT list, tokens FROM token_rank_count ORDER BY 1")];
  yield ["token", states.map(([id, value]) => `${addresses.get(id as number)} ${hex(value)}`).sort()];
  yield ["wrapper", await wrapperLines(engine, addresses)];
  yield ["asset", await assetLines(engine, addresses, items)];
  yield ["asset_count", await countLines(engine, addresses)];
  for (const [table, assets] of [
    ["holding", addresses],
    ["item_holding", items],
  ] as const) {
    const named = ([address, asset, ...rest]: Row) =>
      [
        addresses.get(address as number),
        assets.get(asset as number),
        ...rest.map((value) => value && hex(value)),
      ].join();
    const rows = await engine.all(`SELECT address, asset, value FROM ${table}`);
    yield [table, rows.map(named).sort()];
  }
  const runs = await engine.all("SELECT address, asset, ordinal, body FROM holding_run");
  yield [
    "holding_run",
    runs
      .map(([address, asset, ordinal, body]) =>
        [addresses.get(address as number), addresses.get(asset as number), ordinal, hex(body)].join(),
      )
      .sort(),
  ];
  const ranked = await engine.all("SELECT token, amount, address FROM holder");
  const shown = ranked.map(([token, amount, address]) => [
    addresses.get(token as number),
    hex(amount),
    addresses.get(address as number),
  ]);
  yield ["holder", shown.map(String).sort()];
  const sql = "SELECT h.id, h.prefix, v.value FROM item_hash h JOIN item v ON v.id = h.id";
  const isFound = ([, prefix, value]: Row) => hash.key(value as Bytes) === prefix;
  yield ["item", (await engine.all(sql)).map((row) => `${items.get(row[0] as number)} ${isFound(row)}`).sort()];
}

async function* blockLines(engine: Engine): AsyncGenerator<unknown[]> {
  const hex = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value);
  for (const table of ["token_block", "transfer_place", "omitted_transfer"]) {
    const rows = await engine.all(`SELECT * FROM ${table} ORDER BY 1`);
    yield [table, rows.map((row) => row.map(hex).join(" "))];
  }
}

async function wrapperLines(engine: Engine, addresses: Names): Promise<string[]> {
  const rows = await engine.all("SELECT id, value FROM wrapper");
  const lines = rows.map(([id, value]) => {
    const { phase, balances } = wrapperCodec.read(value as Bytes);
    const shown = [...balances].map(([address, amount]) => `${addresses.get(address)} ${amount}`).sort();
    return `${addresses.get(id as number)} ${phase} ${shown}`;
  });
  return lines.sort();
}

async function assetLines(engine: Engine, addresses: Names, items: Names): Promise<string[]> {
  const rows = (await engine.all("SELECT address, list, asset FROM asset")) as [number, number, number][];
  const nameOf = (list: number, asset: number) => (list === ASSET_LISTS.tokens ? addresses : items).get(asset);
  return rows.map(([address, list, asset]) => `${addresses.get(address)} ${nameOf(list, asset)}`).sort();
}

/** Ranges are of ids, and so no values: what they add up to is one. */
async function countLines(engine: Engine, addresses: Names): Promise<string[]> {
  const rows = await engine.all("SELECT id, value FROM asset_count");
  const lines = rows.map(([id, value]) => {
    const { holdings, lists } = assetCounts.read(value as Bytes);
    const totals = lists.map((ranges) => [...ranges.values()].reduce((sum, count) => sum + count, 0));
    return `${addresses.get(id as number)} ${holdings} ${totals}`;
  });
  return lines.sort();
}

async function names(engine: Engine, table: string, nameOf: (value: Bytes) => string): Promise<Names> {
  const rows = await engine.all(`SELECT id, value FROM ${table}`);
  return new Map(rows.map(([id, value]) => [id as number, nameOf(value as Bytes)]));
}

async function listLines(list: PositionList, owners: Names, entriesBy?: Names): Promise<string[]> {
  const lines: string[] = [];
  for await (const { owner, count, entries } of list.owners()) {
    const shown = entries.map(({ position }) => entriesBy?.get(position) ?? position);
    lines.push(JSON.stringify([owners.get(owner), count, shown]));
  }
  return lines.sort();
}
