import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { asChainError } from "../chain/error.ts";
import { storeUrlOf } from "../config.ts";
import { hasChain } from "../node/chainFile.ts";
import { ChainDatabase } from "../node/database.ts";
import { invalid } from "../settingValues.ts";
import { describeUrl } from "../store/engine/databases.ts";
import { lockStore, removeStore } from "../store/openStore.ts";
import type { Target } from "./networks.ts";

const CHAIN_FILES = "node.sqlite*";

/** Deletes embedded chains and their indexes. Deletes nothing if any chain is in use. */
export async function resetNetworks(targets: readonly Target[]): Promise<void> {
  for (const { name, settings } of targets) {
    if (settings.rpc === undefined) continue;
    const which = name === undefined ? "this one follows" : `"${name}" follows`;
    throw invalid(
      `--reset is for embedded chains, and ${which} a node; delete ${describeUrl(storeUrlOf(settings))} to index it again`,
    );
  }
  for (const { settings } of targets) {
    expectFree(settings.data);
    const lock = await lockStore(storeUrlOf(settings));
    await lock.release();
  }
  for (const { settings } of targets) {
    await removeStore(storeUrlOf(settings));
    for (const file of globSync(join(settings.data, CHAIN_FILES))) rmSync(file);
  }
}

/** A damaged chain counts as unused. */
function expectFree(directory: string): void {
  if (!hasChain(directory)) return;
  try {
    new ChainDatabase(directory).close();
  } catch (error) {
    if (asChainError(error).code === "store_locked") throw error;
  }
}
