import type { Hex } from "../chain/encoding/hex.ts";
import { toHex } from "../chain/encoding/hex.ts";
import type { Chain } from "../node/chain.ts";

/** Stored beside the chain: the parameters, and the last block of history once it exists. */
export interface PastRecord {
  readonly seed: string;
  readonly blocks: number;
  readonly span: number;
  readonly end?: { readonly number: number; readonly hash: Hex };
}

const KEY = "demonstration";

export function readRecord({ database }: Chain): PastRecord | undefined {
  const text = database.meta(KEY);
  return text === undefined ? undefined : (JSON.parse(text) as PastRecord);
}

export function writeRecord({ database }: Chain, record: PastRecord): void {
  database.transaction(() => database.setMeta(KEY, JSON.stringify(record)));
}

/** Whether the last block of history is still canonical. */
export function isWhole({ database }: Chain, { end }: PastRecord): boolean {
  if (end === undefined) return false;
  const hash = database.hashOf(end.number);
  return hash !== undefined && toHex(hash) === end.hash;
}
