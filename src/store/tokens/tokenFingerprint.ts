import type { Bytes } from "../../chain/bytes.ts";
import type { Engine, Row } from "../engine/engine.ts";
import type { PositionList } from "../list.ts";
import type { Store } from "../store.ts";
import { readIdPair, TokenTables } from "./tokenTables.ts";
import { readTransfer } from "./transferBody.ts";

type Names = ReadonlyMap<number, string>;

/** Everything the tokens stage says, by value and never by id, as lines in an order of their own. */
export async function* tokenLines({ engine, hash }: Store, addresses: Names): AsyncGenerator<unknown[]> {
  const tables = new TokenTables(engine, hash);
  const hex = (value: unknown) => Buffer.from(value as Bytes).toString("hex");
  const holdings = await names(engine, "holding", (value) =>
    readIdPair(value)
      .map((id) => addresses.get(id))
      .join("/"),
  );
  const items = await names(engine, "item", (value) => {
    const token = new DataView(value.buffer, value.byteOffset).getUint32(0);
    return `${addresses.get(token)}#${hex(value.subarray(4))}`;
  });
  const itemHoldings = await names(engine, "item_holding", (value) => {
    const [item, address] = readIdPair(value);
    return `${items.get(item)}/${addresses.get(address)}`;
  });
  for (const [number, totals, digest] of await engine.all(
    "SELECT number, totals, digest FROM token_block ORDER BY 1",
  )) {
    yield ["token_block", number, hex(totals), hex(digest)];
  }
  for (const [position, body] of await engine.all("SELECT position, body FROM transfer ORDER BY 1")) {
    const { token, from, to, item, amount, ...rest } = readTransfer(body as Bytes);
    const parties = [token, from, to].map((id) => addresses.get(id));
    yield ["transfer", position, rest, parties, items.get(item), hex(amount)];
  }
  yield ["token_transfer", await listLines(tables.tokenTransfers, addresses)];
  yield ["address_transfer", await listLines(tables.addressTransfers, addresses)];
  yield ["holding_transfer", await listLines(tables.holdingTransfers, holdings)];
  yield ["address_holding", await listLines(tables.addressHoldings, addresses, holdings)];
  yield ["token_item", await listLines(tables.tokenItems, addresses, items)];
  for (const [table, byId] of [
    ["token", addresses],
    ["balance", holdings],
    ["item_balance", itemHoldings],
  ] as const) {
    const rows = await engine.all(`SELECT id, value FROM ${table}`);
    yield [table, rows.map(([id, value]) => `${byId.get(id as number)} ${hex(value)}`).sort()];
  }
  const ranked = await engine.all("SELECT token, amount, address FROM holder");
  const shown = ranked.map(([token, amount, address]) => [
    addresses.get(token as number),
    hex(amount),
    addresses.get(address as number),
  ]);
  yield ["holder", shown.map(String).sort()];
  for (const [table, byId] of [
    ["holding", holdings],
    ["item", items],
    ["item_holding", itemHoldings],
  ] as const) {
    const sql = `SELECT h.id, h.prefix, v.value FROM ${table}_hash h JOIN ${table} v ON v.id = h.id`;
    const rows = await engine.all(sql);
    const isFound = ([, prefix, value]: Row) => hash.key(value as Bytes) === prefix;
    yield [table, rows.map((row) => `${byId.get(row[0] as number)} ${isFound(row)}`).sort()];
  }
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
