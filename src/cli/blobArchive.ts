import { setTimeout as delay } from "node:timers/promises";
import type { MessagePort } from "node:worker_threads";
import type { Block } from "../chain/block/block.ts";
import { asChainError } from "../chain/error.ts";
import { backfillBlobs, NODE_RETENTION } from "../indexer/blobBackfill.ts";
import { BlobFetcher, sidecarsOfBeacon, sidecarsOfNodes } from "../indexer/blobFetcher.ts";
import { BlobKeeper } from "../indexer/blobKeeper.ts";
import { KzgClient } from "../node/blobs/kzgClient.ts";
import { Beacon } from "../source/beacon.ts";
import { openPool } from "../source/pool/openPool.ts";
import { BlobStore } from "../store/blobStore.ts";
import type { StoreReader } from "../store/storeReader.ts";

interface BlobSettings {
  readonly store: string;
  readonly chainId: number;
  readonly rpc?: readonly string[] | undefined;
  readonly beacon?: string | undefined;
  readonly blobRetention?: number | undefined;
}

/** Blobs are large and have separate sockets, so that they do not delay blocks. */
const FETCHING = { sockets: 2, maxBytes: 32 << 20 };

/** Milliseconds between searches for missing and expired blobs. */
export const UPKEEP_EVERY = 600_000;

const DAY = 86_400;

/** Archives blobs as blocks are indexed, backfills missing ones and deletes expired ones. */
export function openBlobs(
  kzg: MessagePort,
  index: StoreReader,
  settings: BlobSettings,
  onError: (reason: string) => void,
) {
  const { rpc = [], chainId, blobRetention } = settings;
  const beacon = settings.beacon === undefined ? undefined : new Beacon(settings.beacon);
  const [store, verifier] = [new BlobStore(settings.store), new KzgClient(kzg)];
  const keeper = new BlobKeeper(store, verifier, onError);
  const nodes = openPool(rpc, { chainId, ...FETCHING });
  const ofNodes = sidecarsOfNodes((method, params) => nodes.passToAll(method, params));
  const fetcher = new BlobFetcher({
    sources: beacon === undefined ? [ofNodes] : [ofNodes, sidecarsOfBeacon(beacon, verifier)],
    hasAll: (names) => store.hasAll(names),
    keep: (block) => keeper.keep(block),
    onError,
  });
  const closing = new AbortController();
  const window = Math.min(NODE_RETENTION, (blobRetention ?? Number.POSITIVE_INFINITY) * DAY);
  const cursor = { read: () => store.readCursor(), write: (block: number) => store.writeCursor(block) };
  const upkeep = async () => {
    while (!closing.signal.aborted) {
      try {
        if (blobRetention !== undefined)
          await store.removeBefore(Date.now() - blobRetention * DAY * 1000, closing.signal);
        await backfillBlobs({ store: index, fetch: (block) => fetcher.fetch(block), cursor, window }, closing.signal);
      } catch (error) {
        if (!closing.signal.aborted) onError(asChainError(error).message);
      }
      await delay(UPKEEP_EVERY, undefined, { signal: closing.signal, ref: false }).catch(() => {});
    }
  };
  const running = upkeep();
  return {
    keep: async (block: Block) => {
      await keeper.keep(block);
      fetcher.note(block);
    },
    close: async () => {
      closing.abort();
      await Promise.all([fetcher.close(), nodes.close()]);
      beacon?.close();
      await running;
      verifier.close();
      await store.close();
    },
  };
}
