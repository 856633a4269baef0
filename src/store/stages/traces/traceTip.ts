import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Reader } from "../../engine/database.ts";
import { loadCachedOne } from "../../read/snapshotCache.ts";
import { ByteWriter } from "../../rows/encoding.ts";
import { nextDigest } from "../../write/append.ts";

/** Last block of the stage and its running totals. */
export interface TraceTip {
  readonly number: number;
  readonly digest: Bytes;
  /** Cumulative. */
  readonly calls: number;
  /** Ids are 1 to this. */
  readonly addresses: number;
  /** Transactions with oversized traces. */
  readonly untraced: number;
}

export const NO_TRACES: TraceTip = { number: -1, digest: new Uint8Array(32), calls: 0, addresses: 0, untraced: 0 };

/** Blocks without calls have no row; the stage's cursor tells how far it is. */
export async function readTraceTip(db: Reader, number?: number): Promise<TraceTip | undefined> {
  if (number === undefined) return loadCachedOne(db, "trace tip", () => readNewestTip(db));
  const [cursor, tip] = await Promise.all([readTraceCursor(db), traceTipAt(db, number)]);
  return cursor === undefined || number > cursor ? undefined : tip;
}

async function readNewestTip(db: Reader): Promise<TraceTip | undefined> {
  const [row] = await db.all<[number, ...(TipRow | [null, null, null, null])]>(NEWEST);
  if (row === undefined) return undefined;
  const [number, digest, calls, addresses, untraced] = row;
  return digest === null ? { ...NO_TRACES, number } : { number, digest, calls, addresses, untraced };
}

/** Newest traced block. */
export async function readTraceCursor(db: Reader): Promise<number | undefined> {
  const rows = await loadCachedOne(db, "trace cursor", () =>
    db.all<[number]>("SELECT block FROM stage WHERE name = 'traces'"),
  );
  return rows?.[0]?.[0];
}

type TipRow = [digest: Bytes, calls: number, addresses: number, untraced: number];

const NEWEST =
  "SELECT s.block, b.digest, b.calls, b.addresses, b.untraced FROM stage s LEFT JOIN trace_block b ON b.number = (SELECT max(m.number) FROM trace_block m WHERE m.number <= s.block) WHERE s.name = 'traces'";

export async function traceTipAt(db: Reader, number: number): Promise<TraceTip> {
  const sql =
    "SELECT digest, calls, addresses, untraced FROM trace_block WHERE number <= ? ORDER BY number DESC LIMIT 1";
  const [row] = await db.all<TipRow>(sql, number);
  if (row === undefined) return { ...NO_TRACES, number };
  const [digest, calls, addresses, untraced] = row;
  return { number, digest, calls, addresses, untraced };
}

/** Covers the row, calls and new addresses of a block, chained to its parent. */
export function traceDigest(before: TraceTip, number: number, body: Bytes, rows: readonly Bytes[]): Bytes {
  const writer = new ByteWriter(16);
  writer.varint(number);
  return nextDigest(before.digest, [writer.view(), body, ...rows]);
}
