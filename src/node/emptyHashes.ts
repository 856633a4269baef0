import type { Bytes, Hash } from "../chain/encoding/bytes.ts";

/** One for each value of a hash's first byte. */
const BUCKETS = 256;
/** Four more bytes of the hash, and the block number. */
const PREFIX = 4;
const ENTRY = 8;
const FIRST_CAPACITY = 16;

/** Collects the hashes of blocks that are derived when read, so that a block is found by its hash. */
export class EmptyHashes {
  readonly #buckets = Array.from({ length: BUCKETS }, () => ({
    entries: Buffer.allocUnsafe(FIRST_CAPACITY * ENTRY),
    length: 0,
  }));

  add(hash: Hash, number: number): void {
    const bucket = this.#buckets[hash[0]!]!;
    if (bucket.length === bucket.entries.length) {
      bucket.entries = Buffer.concat([bucket.entries, Buffer.allocUnsafe(bucket.length)]);
    }
    bucket.entries.set(hash.subarray(1, 1 + PREFIX), bucket.length);
    bucket.entries.writeUInt32BE(number, bucket.length + PREFIX);
    bucket.length += ENTRY;
  }

  *buckets(): Generator<{ readonly bucket: number; readonly entries: Bytes }> {
    for (const [bucket, { entries, length }] of this.#buckets.entries()) {
      if (length > 0) yield { bucket, entries: entries.subarray(0, length) };
    }
  }
}

export function bucketOf(hash: Hash): number {
  return hash[0]!;
}

/** Numbers of blocks that may have the hash. */
export function* possibleNumbers(entries: Bytes, hash: Hash): Generator<number> {
  const buffer = Buffer.from(entries.buffer, entries.byteOffset, entries.length);
  const prefix = hash.subarray(1, 1 + PREFIX);
  for (let at = buffer.indexOf(prefix); at !== -1; at = buffer.indexOf(prefix, at + 1)) {
    if (at % ENTRY === 0) yield buffer.readUInt32BE(at + PREFIX);
  }
}
