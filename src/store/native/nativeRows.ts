import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY, equalBytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import type { Database, Row } from "../engine/database.ts";
import { ByteReader, ByteWriter } from "../rows/encoding.ts";
import { recount } from "./nativeCounts.ts";

/** What an account has, in bytes that sort as the numbers do. */
export interface NativeRow {
  /** Later accounts have smaller ones: of two that have the same, the one that was met first comes first. */
  readonly id: number;
  readonly balance: Bytes;
}

/** Rows by the hex of their addresses; undefined for those that have nothing. */
export type NativeRows = ReadonlyMap<Hex, NativeRow | undefined>;

const ADDRESS_SIZE = 20;

export async function loadRows(database: Database, addresses: readonly Bytes[]): Promise<NativeRows> {
  const sql = "SELECT address, id, balance FROM native_balance WHERE address IN ($keys)";
  const rows = await database.load<[Bytes, number, Bytes]>(sql, addresses);
  const found = new Map(rows.map(([address, id, balance]) => [toHex(address), { id, balance }]));
  return new Map(addresses.map(toHex).map((address) => [address, found.get(address)]));
}

/** Puts rows in the place of those that are there; answers which of them are others. */
export async function replaceRows(database: Database, old: NativeRows, fresh: NativeRows): Promise<Hex[]> {
  const changed = [...fresh.keys()].filter((address) => !isSame(old.get(address), fresh.get(address))).sort();
  if (changed.length === 0) return [];
  const gone: Row[] = [];
  const there: Row[] = [];
  for (const address of changed) {
    const row = fresh.get(address);
    if (row === undefined) gone.push([fromHex(address)]);
    else there.push([fromHex(address), row.id, row.balance]);
  }
  await database.remove("native_balance", ["address"], gone);
  await database.upsert("native_balance", ["address", "id", "balance"], there);
  const balances = (rows: NativeRows) => changed.flatMap((address) => rows.get(address)?.balance ?? []);
  await recount(database, balances(old), balances(fresh));
  return changed;
}

function isSame(a: NativeRow | undefined, b: NativeRow | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.id === b.id && equalBytes(a.balance, b.balance);
}

/** Some rows as bytes, to be put back. */
export function writeRows(rows: NativeRows, addresses: readonly Hex[]): Bytes {
  const writer = new ByteWriter(64 * addresses.length + 1);
  for (const address of addresses) {
    const { id, balance } = rows.get(address) ?? { id: 0, balance: EMPTY };
    writer.raw(fromHex(address));
    writer.varint(id);
    writer.string(balance);
  }
  return writer.copy();
}

export function* readRows(bytes: Bytes): Iterable<[Hex, NativeRow | undefined]> {
  for (const reader = new ByteReader(bytes); !reader.done; ) {
    const address = toHex(reader.raw(ADDRESS_SIZE));
    const [id, balance] = [reader.varint(), reader.string()];
    yield [address, balance.length === 0 ? undefined : { id, balance }];
  }
}
