import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { EMPTY, equalBytes } from "../../../chain/encoding/bytes.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { fromHex, toHex } from "../../../chain/encoding/hex.ts";
import type { Row, Writer } from "../../engine/database.ts";
import { ByteReader, ByteWriter } from "../../rows/encoding.ts";
import { recount } from "./nativeCounts.ts";

/** By address, as bytes in numeric order; undefined for an empty account. */
export type NativeRows = ReadonlyMap<Hex, Bytes | undefined>;

const ADDRESS_SIZE = 20;

export async function loadRows(writer: Writer, addresses: readonly Bytes[]): Promise<NativeRows> {
  const sql = "SELECT address, balance FROM native_balance WHERE address IN ($keys)";
  const rows = await writer.load<[Bytes, Bytes]>(sql, addresses);
  const found = new Map(rows.map(([address, balance]) => [toHex(address), balance]));
  return new Map(addresses.map(toHex).map((address) => [address, found.get(address)]));
}

/** Returns the addresses that changed. */
export async function replaceRows(writer: Writer, old: NativeRows, fresh: NativeRows): Promise<Hex[]> {
  const changed = [...fresh.keys()].filter((address) => !isSame(old.get(address), fresh.get(address))).sort();
  if (changed.length === 0) return [];
  const removed: Row[] = [];
  const there: Row[] = [];
  for (const address of changed) {
    const balance = fresh.get(address);
    if (balance === undefined) removed.push([fromHex(address)]);
    else there.push([fromHex(address), balance]);
  }
  await writer.remove("native_balance", ["address"], removed);
  await writer.upsert("native_balance", ["address", "balance"], there);
  const balances = (rows: NativeRows) => changed.flatMap((address) => rows.get(address) ?? []);
  await recount(writer, balances(old), balances(fresh));
  return changed;
}

function isSame(a: Bytes | undefined, b: Bytes | undefined): boolean {
  return a === undefined || b === undefined ? a === b : equalBytes(a, b);
}

export function writeRows(rows: NativeRows, addresses: readonly Hex[]): Bytes {
  const writer = new ByteWriter(64 * addresses.length + 1);
  for (const address of addresses) {
    writer.raw(fromHex(address));
    writer.string(rows.get(address) ?? EMPTY);
  }
  return writer.copy();
}

export function* readRows(bytes: Bytes): Iterable<[Hex, Bytes | undefined]> {
  for (const reader = new ByteReader(bytes); !reader.done; ) {
    const address = toHex(reader.raw(ADDRESS_SIZE));
    const balance = reader.string();
    yield [address, balance.length === 0 ? undefined : balance];
  }
}
