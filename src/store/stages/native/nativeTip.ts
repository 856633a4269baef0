import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Reader } from "../../engine/database.ts";
import { readSigned } from "../../rows/signedAmount.ts";

/** The block whose balances are kept, and what they come to. */
export interface NativeTip {
  readonly number: number;
  /** Zeros: what a node was asked is in no digest. */
  readonly digest: Bytes;
  /** How many times the balances after this block were written, counted from 0. */
  readonly part: number;
  /** Those with more than nothing. */
  readonly accounts: number;
  /** What they have together. */
  readonly sum: bigint;
  /** How many of the addresses that were there at the beginning were asked about. */
  readonly filled: number;
}

/** What stands for a digest where there is none. */
export const NO_DIGEST: Bytes = new Uint8Array(32);

type TipRow = [block: number, part: number, accounts: number, sum: Bytes, filled: number];

const SQL =
  "SELECT block, part, accounts, sum, filled FROM native_change WHERE block <= ? ORDER BY block DESC, part DESC LIMIT 1";

/** The tip, or how balances stood after a block; undefined where they are not kept of it. */
export async function readNativeTip(db: Reader, number?: number): Promise<NativeTip | undefined> {
  const [row] = await db.all<TipRow>(SQL, number ?? Number.MAX_SAFE_INTEGER);
  if (row === undefined || (number !== undefined && row[0] !== number)) return undefined;
  const [block, part, accounts, sum, filled] = row;
  return { number: block, digest: NO_DIGEST, part, accounts, sum: readSigned(sum), filled };
}
