import { databasesAt, IN_MEMORY } from "../../src/store/engine/databases.ts";
import type { RunSizes } from "../../src/store/keys/keyTable.ts";
import { prepareStore } from "../../src/store/openStore.ts";
import type { Store } from "../../src/store/store.ts";

/** So small that keys of a short chain are packed and merged. */
export const SMALL_RUNS: RunSizes = { rows: 6, ratio: 3, piece: 16, paceBase: 4, paceFactor: 6, perCommit: 40 };

/** A store in memory whose keys are packed from the first blocks on. */
export async function openWithSmallRuns(chainId: number): Promise<Store> {
  return prepareStore(await databasesAt(IN_MEMORY).open("index"), chainId, undefined, SMALL_RUNS);
}
