import { readBlobTransactions } from "../store/read/blobTransactions.ts";
import type { StoredBlock } from "../store/read/blocks.ts";
import type { ReadSession } from "../store/session.ts";
import type { StoreReader } from "../store/storeReader.ts";
import type { BlobBlock } from "./blobFetcher.ts";

interface BlobBackfillOptions {
  readonly store: StoreReader;
  fetch(block: BlobBlock): Promise<boolean>;
  /** Block below which no blobs are missing; persisted. */
  readonly cursor: { read(): Promise<number>; write(block: number): Promise<void> };
  /** Seconds after which blobs are pruned everywhere or by our retention. */
  readonly window: number;
  readonly now?: () => number;
}

/** Seconds: 4,096 epochs of Ethereum, 18.2 days. */
export const NODE_RETENTION = 1_572_864;

/** Seconds during which unavailable blobs are retried in every run. */
export const BLOB_SEARCH_SECONDS = 86_400;

/** Blocks below the head checked in every run, since a reorg may replace them. */
const UNSETTLED = 64;

const BLOCK_BATCH_SIZE = 250;

/** Fetches missing blobs of indexed blocks: those no source had, or that a shutdown interrupted. */
export async function backfillBlobs(options: BlobBackfillOptions, signal: AbortSignal): Promise<void> {
  const { store, cursor, window, now = () => Date.now() / 1000 } = options;
  const range = await store.read((session) => rangeSince(session, now() - window));
  if (range === undefined) return;
  const settled = range.tip - UNSETTLED;
  let lacking: number | undefined;
  for (let next = Math.max(await cursor.read(), range.first); next <= range.tip; next += BLOCK_BATCH_SIZE) {
    for (const { block, isRecent } of await blobBlocks(store, next, now() - BLOB_SEARCH_SECONDS)) {
      if (signal.aborted) return;
      if (!(await options.fetch(block)) && isRecent) lacking ??= block.number;
    }
    const done = Math.min(next + BLOCK_BATCH_SIZE, settled, lacking ?? settled);
    if (done > 0) await cursor.write(done);
  }
}

async function rangeSince({ blocks }: ReadSession, time: number) {
  const [first, tip] = [await blocks.first(), await blocks.tip()];
  if (first === undefined || tip === undefined) return undefined;
  return { first: await blocks.firstAfter(time, first.header.number, tip.number + 1), tip: tip.number };
}

function blobBlocks(store: StoreReader, from: number, recent: number) {
  return store.read(async (session) => {
    const found: { readonly block: BlobBlock & { readonly number: number }; readonly isRecent: boolean }[] = [];
    for (const stored of await session.blocks.range(from, BLOCK_BATCH_SIZE)) {
      if (stored.sums.blobTransactions === 0) continue;
      found.push({ block: await readBlock(session, stored), isRecent: stored.header.timestamp > recent });
    }
    return found;
  });
}

async function readBlock(session: ReadSession, stored: StoredBlock) {
  const { number, hash, timestamp } = stored.header;
  return { number, hash, timestamp, transactions: await readBlobTransactions(session, stored) };
}
