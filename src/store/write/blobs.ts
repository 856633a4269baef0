import type { Transaction } from "../../chain/block/transaction.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { prefixOf } from "../dictionary/dictionary.ts";
import type { Database, Row } from "../engine/database.ts";
import { storedBlocks } from "../read/blocks.ts";
import { readFacts } from "../rows/facts.ts";
import { firstPosition } from "../rows/position.ts";

/** The first byte of a versioned hash is its version, and the same for all. */
export const blobKey = (versionedHash: Bytes): number => prefixOf(versionedHash.subarray(1));

/** The keys of the blobs that a transaction names, each once: it may name one of them twice. */
export function blobKeys({ blobVersionedHashes }: Transaction): ReadonlySet<number> {
  return blobVersionedHashes === undefined ? NONE : new Set(blobVersionedHashes.map(blobKey));
}

const NONE: ReadonlySet<number> = new Set();

/** Derives the table from the transactions that are there. Blocks say whether they have any that name blobs. */
export async function fillBlobs(database: Database): Promise<void> {
  for await (const blocks of storedBlocks(database)) {
    for (const { header, sums } of blocks) {
      if (sums.blobTransactions > 0) await fillBlock(database, header.number);
    }
  }
}

async function fillBlock(database: Database, number: number): Promise<void> {
  const sql = "SELECT position, body FROM tx WHERE position >= ? AND position < ?";
  const rows = await database.all<[number, Bytes]>(sql, firstPosition(number), firstPosition(number + 1));
  const found = rows.flatMap(([position, body]) => {
    const keys = blobKeys(readFacts(database, position, body).transaction);
    return [...keys].map((key): Row => [key, position]);
  });
  await database.insert("blob", ["prefix", "position"], found);
}
