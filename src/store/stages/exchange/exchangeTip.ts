import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Reader } from "../../engine/database.ts";

/** Last block of the stage and its running totals. */
export interface ExchangeTip {
  readonly number: number;
  readonly digest: Bytes;
  readonly events: number;
  /** Pools so far; ids are 1 to this. */
  readonly pools: number;
}

export const NO_EXCHANGE: ExchangeTip = { number: -1, digest: new Uint8Array(32), events: 0, pools: 0 };

/** Blocks without events have no row; the stage's cursor tells how far it is. */
export async function readExchangeTip(db: Reader, number?: number): Promise<ExchangeTip | undefined> {
  const [cursor] = await db.all<[number]>("SELECT block FROM stage WHERE name = 'exchange'");
  if (cursor === undefined || (number !== undefined && number > cursor[0])) return undefined;
  return exchangeTipAt(db, number ?? cursor[0]);
}

export async function exchangeTipAt(db: Reader, number: number): Promise<ExchangeTip> {
  const sql = "SELECT digest, events, pools FROM exchange_block WHERE number <= ? ORDER BY number DESC LIMIT 1";
  const [row] = await db.all<[Bytes, number, number]>(sql, number);
  if (row === undefined) return { ...NO_EXCHANGE, number };
  const [digest, events, pools] = row;
  return { number, digest, events, pools };
}
