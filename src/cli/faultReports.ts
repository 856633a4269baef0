import type { ThreadEvents } from "./indexerThread.ts";
import type { ProgressLine } from "./progress.ts";

/** Lines about faults after which the indexer continues. */
export const faultReports = (progress: ProgressLine) =>
  ({
    onUnobserved: (reason) => progress.line(`tokens are not observed for now: ${reason}`),
    onUntraced: (reason) => progress.line(`traces wait: ${reason}`),
    onUnranked: (reason) => progress.line(`balances wait: ${reason}`),
    onBackfillDied: (reason) => progress.line(`the thread of backfill died, and the indexer fetches itself: ${reason}`),
    onDamage: (problem) => progress.line(`the index is damaged: ${problem}; see oriel audit`),
    onBlobsNotArchived: (reason) => progress.line(`blobs are not kept for now: ${reason}`),
    onUnannounced: (reason) => progress.line(`the node at --rpc-ws announces no blocks (${reason}); it is polled`),
  }) satisfies Partial<ThreadEvents>;
