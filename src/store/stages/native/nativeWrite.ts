import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { fromHex, toHex } from "../../../chain/encoding/hex.ts";
import type { Writer } from "../../engine/database.ts";
import { keysetPages } from "../../engine/keysetPages.ts";
import { readSigned, writeSigned } from "../../rows/signedAmount.ts";
import type { NativeRows } from "./nativeRows.ts";
import { loadRows, readRows, replaceRows, writeRows } from "./nativeRows.ts";
import type { NativeTip } from "./nativeTip.ts";
import { NO_DIGEST } from "./nativeTip.ts";

export interface NativeBalance {
  readonly address: Bytes;
  readonly balance: bigint;
}

export const NO_BALANCES: NativeTip = {
  ...{ number: -1, digest: NO_DIGEST, part: 0 },
  ...{ accounts: 0, sum: 0n, backfilled: 0 },
};

interface NativeWrite {
  readonly tip: NativeTip;
  readonly changed: readonly Hex[];
}

interface NativeProgress {
  readonly number: number;
  readonly backfilled: number;
}

/** All balances are after one block. The tip is unchanged if nothing changed. Runs inside the caller's transaction. */
export async function writeBalances(
  writer: Writer,
  tip: NativeTip,
  { number, backfilled }: NativeProgress,
  balances: readonly NativeBalance[],
): Promise<NativeWrite> {
  const old = await loadRows(
    writer,
    balances.map(({ address }) => address),
  );
  let { accounts, sum } = tip;
  const fresh = new Map<Hex, Bytes | undefined>();
  for (const { address, balance } of balances) {
    const key = toHex(address);
    const before = old.get(key);
    if (fresh.has(key)) continue;
    fresh.set(key, balance === 0n ? undefined : writeSigned(balance));
    accounts += (balance > 0n ? 1 : 0) - (before === undefined ? 0 : 1);
    sum += balance - (before === undefined ? 0n : readSigned(before));
  }
  const changed = await replaceRows(writer, old, fresh);
  if (changed.length === 0 && number === tip.number && backfilled === tip.backfilled) return { tip, changed };
  const part = number === tip.number ? tip.part + 1 : 0;
  const next = { ...tip, number, part, accounts, sum, backfilled };
  await recordChange(writer, next, old, changed);
  return { tip: next, changed };
}

async function recordChange(
  writer: Writer,
  { number, part, accounts, sum, backfilled }: NativeTip,
  old: NativeRows,
  changed: readonly Hex[],
): Promise<void> {
  const columns = ["block", "part", "accounts", "sum", "backfilled", "before"];
  const row = [number, part, accounts, writeSigned(sum), backfilled, writeRows(old, changed)];
  await writer.insert("native_change", columns, [row]);
}

const CHANGE_BATCH_SIZE = 16;

/** Restores the balances of an earlier block. Runs inside the caller's transaction. */
export async function unwindBalances(writer: Writer, number: number): Promise<void> {
  const sql =
    "SELECT block, part, before FROM native_change WHERE block > ? AND (block, part) < (?, ?) ORDER BY block DESC, part DESC LIMIT ?";
  const highest = Number.MAX_SAFE_INTEGER;
  const pages = keysetPages<[number, number, Bytes]>(CHANGE_BATCH_SIZE, (last, count) =>
    writer.all(sql, number, last?.[0] ?? highest, last?.[1] ?? 0, count),
  );
  const before = new Map<Hex, Bytes | undefined>();
  for await (const rows of pages) {
    for (const [, , body] of rows) for (const [address, row] of readRows(body)) before.set(address, row);
  }
  await replaceRows(writer, await loadRows(writer, [...before.keys()].map(fromHex)), before);
  await writer.run("DELETE FROM native_change WHERE block > ?", number);
}

/** Deletes undo records that are not needed any more. Keeps the newest. */
export async function pruneChanges(writer: Writer, tip: NativeTip, oldestUnwindable: number): Promise<void> {
  const from = Math.min(oldestUnwindable - 1, tip.number);
  await writer.run("DELETE FROM native_change WHERE block < ?", from);
}
