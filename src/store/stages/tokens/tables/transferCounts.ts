import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { Turn } from "../../../../std/async.ts";
import { prefixOf } from "../../../dictionary/dictionary.ts";
import type { Reader } from "../../../engine/database.ts";
import { inDialect } from "../../../engine/database.ts";
import { findKeys, soughtKeys } from "../../../keys/findKeys.ts";
import { TRANSACTION_KEYS } from "../../../keys/keyTable.ts";
import { ByteReader, ByteWriter, fromDigits } from "../../../rows/encoding.ts";
import { blockOf, firstPosition, MAX_SLOTS, transactionKey } from "../../../rows/position.ts";

/** [from, to) within a block. */
interface Range {
  readonly from: number;
  readonly to: number;
}

const NONE: Range = { from: 0, to: 0 };

/** Transfers are in transaction order. */
export function writeTransferCounts(indexes: Iterable<number>): Bytes {
  const counts = new Map<number, number>();
  for (const index of indexes) counts.set(index, (counts.get(index) ?? 0) + 1);
  const writer = new ByteWriter(2 * counts.size);
  let last = 0;
  for (const [index, count] of counts) {
    writer.varint(index - last);
    writer.varint(count);
    last = index;
  }
  return writer.copy();
}

/** By transaction index; missing if there are none. */
function findRanges(body: Bytes, wanted: ReadonlySet<number>): Map<number, Range> {
  const ranges = new Map<number, Range>();
  const reader = new ByteReader(body);
  for (let index = 0, from = 0; !reader.done && ranges.size < wanted.size; ) {
    index += reader.varint();
    const to = from + reader.varint();
    if (wanted.has(index)) ranges.set(index, { from, to });
    from = to;
  }
  return ranges;
}

/** The rows of some blocks. */
export type TransferRanges = ReadonlyMap<number, string>;

/** Which of a block's transfers are those of one of its transactions. */
export async function transfersOfTransaction(db: Reader, block: number, index: number): Promise<Range> {
  return rangeIn(new Map(await db.load<[number, string]>(SELECT(db), [block])), block, index);
}

/** The same by rows that were read before. */
export function rangeIn(ranges: TransferRanges, block: number, index: number): Range {
  const digits = ranges.get(block);
  return (digits && findRanges(fromDigits(digits), new Set([index])).get(index)) || NONE;
}

/** The rows of the blocks with a transaction whose hash begins as one does. */
export async function readTransferRanges(db: Reader, hash: Bytes): Promise<TransferRanges> {
  return new Map(await db.loadPairs<[number, string]>(OF_TRANSACTIONS(db), soughtKeys([prefixOf(hash)])));
}

/** By transaction key; missing if there are none. */
export async function countTransfers(db: Reader, keys: readonly number[]): Promise<Map<number, number>> {
  const wanted = new Map<number, Set<number>>();
  for (const key of keys) {
    const block = blockOf(key);
    const indexes = wanted.get(block) ?? new Set();
    wanted.set(block, indexes.add(key - firstPosition(block)));
  }
  const found = new Map<number, number>();
  const turn = new Turn();
  const blocks = [...wanted.keys()];
  for (let at = 0; at < blocks.length; at += BLOCK_BATCH_SIZE) {
    const rows = await db.load<[number, string]>(SELECT(db), blocks.slice(at, at + BLOCK_BATCH_SIZE));
    for (const [block, digits] of rows) {
      for (const [index, { from, to }] of findRanges(fromDigits(digits), wanted.get(block) ?? new Set()))
        found.set(transactionKey(block, index), to - from);
    }
    await turn.yieldToEventLoop();
  }
  return found;
}

/** Rows of large blocks are long. */
const BLOCK_BATCH_SIZE = 64;

const OF_TRANSACTIONS = inDialect(
  (dialect) =>
    `SELECT block, ${dialect.digits("body")} FROM transfer_count WHERE block IN (SELECT h.value / ${MAX_SLOTS} FROM (${findKeys(TRANSACTION_KEYS, dialect)}) h)`,
);
const SELECT = inDialect(({ digits }) => `SELECT block, ${digits("body")} FROM transfer_count WHERE block IN ($keys)`);
