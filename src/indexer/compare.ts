import type { Block } from "../chain/block/block.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import { checkBlock } from "../chain/integrity/integrity.ts";
import type { Source } from "../chain/source.ts";
import type { StoredBlock } from "../store/read/blocks.ts";
import type { StoredTransaction } from "../store/rows/transactionBody.ts";
import type { StoreReader } from "../store/storeReader.ts";

/** Compares stored blocks field by field with the node. */
export async function compareWithSource(
  store: StoreReader,
  source: Source,
  numbers: readonly number[],
): Promise<string[]> {
  const problems: string[] = [];
  for (const number of numbers) {
    const stored = await store.latest.blocks.byNumber(number);
    if (stored === undefined) continue;
    const block = await source.block(number);
    if (block === undefined) problems.push(`the node has no block ${number}`);
    else problems.push(...(await compareBlock(store, stored, block)));
  }
  return problems;
}

async function compareBlock(store: StoreReader, stored: StoredBlock, block: Block): Promise<string[]> {
  const { number } = block.header;
  if (!equalBytes(stored.header.hash, block.header.hash)) return [`the node has another block ${number}`];
  const problems = checkBlock(block).failed.map(({ check, message }) => `block ${number} fails ${check}: ${message}`);
  if (comparable(stored.header) !== comparable(block.header)) problems.push(`the header of block ${number} differs`);
  const transactions = await store.latest.transactions.inBlock(number, 0, Number.MAX_SAFE_INTEGER);
  if (transactions.length !== block.transactions.length)
    problems.push(`block ${number} has another number of transactions`);
  for (const tx of transactions) {
    if (!isEqual(tx, block)) problems.push(`transaction ${tx.index} of block ${number} differs`);
  }
  return problems;
}

function isEqual({ index, transaction, receipt }: StoredTransaction, block: Block): boolean {
  const theirs = block.receipts[index];
  if (theirs === undefined) return false;
  // Receipt blooms are not stored: they follow from the logs.
  const { logsBloom: _, ...receiptWithoutBloom } = theirs;
  return (
    comparable(transaction) === comparable(block.transactions[index]) &&
    comparable(receipt) === comparable(receiptWithoutBloom)
  );
}

/** JSON with sorted keys. */
function comparable(value: unknown): string {
  return JSON.stringify(value, (_, inner) => {
    if (inner instanceof Uint8Array) return Buffer.from(inner).toString("hex");
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
