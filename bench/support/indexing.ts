import { Indexer } from "../../src/indexer/indexer.ts";
import { STAGES } from "../../src/indexer/stages.ts";
import { Upstream } from "../../src/source/upstream.ts";
import { openStore } from "../../src/store/openStore.ts";

/** Indexes all blocks of a node into a directory, and ends. */
const [directory, url] = process.argv.slice(2) as [string, string];
const source = new Upstream({ url, chainId: 677 });
const store = await openStore(directory, 677);
const indexer = new Indexer({ store, source, stages: STAGES });
while ((await indexer.step()) !== "idle");
await store.close();
await source.close();
process.disconnect?.();
