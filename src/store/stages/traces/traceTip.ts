import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Reader } from "../../engine/database.ts";
import { ByteWriter } from "../../rows/encoding.ts";
import { nextDigest } from "../../write/append.ts";

/** The newest block of the traces stage, and what it has come to. */
export interface TraceTip {
  readonly number: number;
  readonly digest: Bytes;
  /** Calls of all blocks so far. */
  readonly calls: number;
  /** Addresses so far: their ids are 1 to this. */
  readonly addresses: number;
  /** Transactions whose traces were too long to read. */
  readonly untraced: number;
}

/** Before the first block. */
export const NO_TRACES: TraceTip = { number: -1, digest: new Uint8Array(32), calls: 0, addresses: 0, untraced: 0 };

/** The tip, or how the stage stood after a block. Blocks without calls have no row: how far the stage is, its cursor says. */
export async function readTraceTip(db: Reader, number?: number): Promise<TraceTip | undefined> {
  const cursor = await readTraceCursor(db);
  if (cursor === undefined || (number !== undefined && number > cursor)) return undefined;
  return traceTipAt(db, number ?? cursor);
}

/** The newest block that is traced. */
export async function readTraceCursor(db: Reader): Promise<number | undefined> {
  const [row] = await db.all<[number]>("SELECT block FROM stage WHERE name = 'traces'");
  return row?.[0];
}

export async function traceTipAt(db: Reader, number: number): Promise<TraceTip> {
  const sql =
    "SELECT digest, calls, addresses, untraced FROM trace_block WHERE number <= ? ORDER BY number DESC LIMIT 1";
  const [row] = await db.all<[Bytes, number, number, number]>(sql, number);
  if (row === undefined) return { ...NO_TRACES, number };
  const [digest, calls, addresses, untraced] = row;
  return { number, digest, calls, addresses, untraced };
}

/** Chains what a block has, its calls and the addresses that are new in it, to the block before. */
export function traceDigest(before: TraceTip, number: number, body: Bytes, rows: readonly Bytes[]): Bytes {
  const writer = new ByteWriter(16);
  writer.varint(number);
  return nextDigest(before.digest, [writer.view(), body, ...rows]);
}
