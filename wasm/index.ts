import { outlineBlock, readBlock } from "./block.ts";
import { verify } from "./hashes.ts";
import { beginFields, fieldsEnd, fieldsStart, recordsEnd, reserve, SLACK } from "./memory.ts";
import { readReceipts } from "./receipt.ts";
import { begin, peek, position, start } from "./text.ts";

/** Where documents go. */
const first: u32 = ((<u32>heap.alloc(16) + 0xffff) & ~0xffff) as u32;

/** Address of the first document, or 0 where memory is exhausted. */
export function prepare(blockLength: u32, receiptsLength: u32): u32 {
  const length = blockLength + receiptsLength;
  return reserve(first, length + 2 * SLACK) && beginFields(first + length + 2 * SLACK, length) ? first : 0;
}

/**
 * Decodes a block and its receipts, which stand one after the other with slack behind each, and compares them with the
 * hashes in the header. Address of the header's record, or 0 where the host must decode them.
 */
export function decode(blockLength: u32, receiptsLength: u32): u32 {
  const receipts = first + blockLength + SLACK;
  memory.fill(first + blockLength, 0, SLACK);
  memory.fill(receipts + receiptsLength, 0, SLACK);
  start();
  begin(first);
  const header = readBlock();
  if (header === 0 || !endsAt(first + blockLength)) return 0;
  begin(receipts);
  if (!readReceipts(header) || !endsAt(receipts + receiptsLength)) return 0;
  return verify(header) ? header : 0;
}

/** Reads the number and hash of the block alone, and whether it has transactions. As `decode`. */
export function outline(blockLength: u32): u32 {
  memory.fill(first + blockLength, 0, SLACK);
  start();
  begin(first);
  return outlineBlock();
}

function endsAt(end: u32): bool {
  return peek() === 0 && position() === end;
}

export function fieldsFrom(): u32 {
  return fieldsStart;
}

export function fieldsTo(): u32 {
  return fieldsEnd;
}

export function recordsTo(): u32 {
  return recordsEnd;
}
