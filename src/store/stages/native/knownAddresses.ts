import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import type { Reader } from "../../engine/database.ts";
import { readNumber } from "../../engine/database.ts";
import { keysetPages } from "../../engine/keysetPages.ts";
import { AddressResolver } from "../../read/addressResolver.ts";
import type { CoreReads } from "../../read/coreReads.ts";
import type { Position } from "../../rows/position.ts";
import { firstPosition } from "../../rows/position.ts";
import { readOutline } from "../../rows/transactionBody.ts";
import { readCall } from "../traces/traceBody.ts";
import type { TraceReads } from "../traces/traceReads.ts";
import type { AddressCounts } from "./nativeTargets.ts";

/** In backfill order. */
const DICTIONARIES = ["address", "miner", "trace_address"] as const;

const TRANSACTION_BATCH_SIZE = 500;
const CALL_BATCH_SIZE = 5000;

/** Up to the tip; traces must have caught up. */
export async function countKnownAddresses({
  db,
  blocks,
  traces,
}: CoreReads & { readonly traces: TraceReads }): Promise<AddressCounts> {
  const [tip, traced] = [await blocks.tip(), await traces.tip()];
  const miners = await readNumber(db, "SELECT max(id) FROM miner");
  return [tip?.totals.addresses ?? 0, miners, traced?.addresses ?? 0];
}

/** `from` counts through all dictionaries in order. */
export async function readKnownAddresses(
  { db }: Pick<CoreReads, "db">,
  counts: AddressCounts,
  from: number,
  limit: number,
): Promise<Bytes[]> {
  const found: Bytes[] = [];
  let start = 0;
  for (const [at, table] of DICTIONARIES.entries()) {
    const [first, last] = [Math.max(from - start, 0), Math.min(from - start + limit, counts[at]!)];
    if (first < last) found.push(...(await valuesBetween(db, table, first, last)));
    start += counts[at]!;
  }
  return found;
}

async function valuesBetween(db: Reader, table: string, above: number, to: number): Promise<Bytes[]> {
  const sql = `SELECT value FROM ${table} WHERE id > ? AND id <= ? ORDER BY id`;
  return (await db.all<[Bytes]>(sql, above, to)).map(([value]) => value);
}

/**
 * Accounts a block may change, or that are new in it: transaction and call parties, miner, withdrawal recipients, and
 * addresses first named by its logs.
 */
export async function readTouched(reads: CoreReads, number: number): Promise<Bytes[]> {
  const { db, blocks } = reads;
  const [block] = await blocks.range(number, 1);
  if (block?.number !== number) return [];
  const { miner, withdrawals = [] } = block.header;
  const before = (await blocks.tipAt(number - 1))?.totals.addresses ?? 0;
  const found = [
    ...(await valuesBetween(db, "address", before, block.totals.addresses)),
    ...(await readParties(db, number)),
    ...(await readCallers(db, number)),
    miner,
    ...withdrawals.map(({ address }) => address),
  ];
  return [...new Map(found.map((address) => [toHex(address), address])).values()];
}

/** Reads rows only, without overflow parts. */
async function readParties(db: Reader, number: number): Promise<Bytes[]> {
  const sql = "SELECT position, body FROM tx WHERE position >= ? AND position < ? ORDER BY position LIMIT ?";
  const pages = keysetPages<[Position, Bytes]>(TRANSACTION_BATCH_SIZE, (last, count) =>
    db.all(sql, last === undefined ? firstPosition(number) : last[0] + 1, firstPosition(number + 1), count),
  );
  const found: (Bytes | null)[] = [];
  for await (const rows of pages) {
    const resolver = new AddressResolver(db);
    for (const [position, row] of rows) {
      const { transaction, receipt } = readOutline(position, row, resolver);
      found.push(transaction.from, transaction.to, receipt.contractAddress);
    }
    await resolver.load();
  }
  return found.filter((address) => address !== null);
}

async function readCallers(db: Reader, number: number): Promise<Bytes[]> {
  const sql = "SELECT position, body FROM trace_call WHERE position >= ? AND position < ? ORDER BY position LIMIT ?";
  const pages = keysetPages<[Position, Bytes]>(CALL_BATCH_SIZE, (last, count) =>
    db.all(sql, last === undefined ? firstPosition(number) : last[0] + 1, firstPosition(number + 1), count),
  );
  const ids = new Set<number>();
  for await (const rows of pages) {
    for (const [, body] of rows) {
      const { from, to } = readCall(body);
      ids.add(from);
      if (to !== 0) ids.add(to);
    }
  }
  return valuesOf(db, "trace_address", ids);
}

async function valuesOf(db: Reader, table: string, ids: ReadonlySet<number>): Promise<Bytes[]> {
  const sql = `SELECT value FROM ${table} WHERE id IN ($keys)`;
  return (await db.load<[Bytes]>(sql, [...ids])).map(([value]) => value);
}
