import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Reader } from "../../engine/database.ts";
import { readSigned } from "../../rows/signedAmount.ts";

/** Last block with balances, and their totals. */
export interface NativeTip {
  readonly number: number;
  /** Zeros: node data has no digest. */
  readonly digest: Bytes;
  /** Number of writes after this block, from 0. */
  readonly part: number;
  readonly accounts: number;
  readonly sum: bigint;
  /** Initial addresses that were backfilled. */
  readonly backfilled: number;
}

export const NO_DIGEST: Bytes = new Uint8Array(32);

type TipRow = [block: number, part: number, accounts: number, sum: Bytes, backfilled: number];

const SQL =
  "SELECT block, part, accounts, sum, backfilled FROM native_change WHERE block <= ? ORDER BY block DESC, part DESC LIMIT 1";

/** Undefined if there are no balances of the block. */
export async function readNativeTip(db: Reader, number?: number): Promise<NativeTip | undefined> {
  const [row] = await db.all<TipRow>(SQL, number ?? Number.MAX_SAFE_INTEGER);
  if (row === undefined || (number !== undefined && row[0] !== number)) return undefined;
  const [block, part, accounts, sum, backfilled] = row;
  return { number: block, digest: NO_DIGEST, part, accounts, sum: readSigned(sum), backfilled };
}
