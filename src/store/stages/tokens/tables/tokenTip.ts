import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import type { Draft } from "../../../../chain/encoding/wire.ts";
import type { Reader, Value } from "../../../engine/database.ts";
import { loadCachedOne } from "../../../read/snapshotCache.ts";
import { ByteReader, ByteWriter } from "../../../rows/encoding.ts";

/** Cumulative totals in each block row, so they unwind with it. */
export interface TokenTotals {
  readonly transfers: number;
  readonly tokens: number;
  readonly items: number;
}

export const NO_TOKEN_TOTALS: TokenTotals = { transfers: 0, tokens: 0, items: 0 };

/** Newest block of the stage. */
export interface TokenTip {
  readonly number: number;
  readonly totals: TokenTotals;
  readonly digest: Bytes;
}

const KEYS = ["transfers", "tokens", "items"] as const;

export function writeTokenTotals(totals: TokenTotals): Bytes {
  const writer = new ByteWriter(64);
  for (const key of KEYS) writer.varint(totals[key]);
  return writer.copy();
}

function readTokenTotals(bytes: Bytes): TokenTotals {
  const reader = new ByteReader(bytes);
  const totals: Draft<TokenTotals> = { ...NO_TOKEN_TOTALS };
  for (const key of KEYS) totals[key] = reader.varint();
  return totals;
}

type TipRow = [number: number, totals: Bytes, digest: Bytes];

const SELECT = "SELECT number, totals, digest FROM token_block";

export async function readTokenTip(db: Reader, number?: number): Promise<TokenTip | undefined> {
  if (number !== undefined) return readOne(db, `${SELECT} WHERE number = ?`, number);
  return loadCachedOne(db, "token tip", () => readOne(db, `${SELECT} ORDER BY number DESC LIMIT 1`));
}

/** Ascending from a number. */
export async function readTokenTips(db: Reader, from: number, limit: number): Promise<TokenTip[]> {
  const rows = await db.all<TipRow>(`${SELECT} WHERE number >= ? ORDER BY number LIMIT ?`, from, limit);
  return rows.map(asTip);
}

/** Cumulative, by block. */
export async function readTransferCounts(db: Reader, numbers: readonly number[]): Promise<Map<number, number>> {
  const sql = "SELECT number, totals FROM token_block WHERE number IN ($keys)";
  const rows = await db.load<[number, Bytes]>(sql, numbers);
  return new Map(rows.map(([number, totals]) => [number, readTokenTotals(totals).transfers]));
}

async function readOne(db: Reader, sql: string, ...parameters: Value[]): Promise<TokenTip | undefined> {
  const [row] = await db.all<TipRow>(sql, ...parameters);
  return row && asTip(row);
}

function asTip([number, totals, digest]: TipRow): TokenTip {
  return { number, totals: readTokenTotals(totals), digest };
}
