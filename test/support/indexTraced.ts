import type { Indexer } from "../../src/indexer/indexer.ts";
import type { TraceFollower } from "../../src/indexer/traces/traceFollower.ts";

/** Steps until there is nothing to index and nothing to trace. */
export function indexTraced(indexer: Indexer, traces: TraceFollower): () => Promise<void> {
  return async () => {
    while ((await indexer.step()) !== "idle" || traces.isBusy) await traces.settled();
  };
}
