import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { asChainError } from "../chain/error.ts";
import { ChainDatabase, hasChain } from "../node/database.ts";
import { invalid } from "../settingValues.ts";
import { removeStore } from "../store/openStore.ts";
import type { Target } from "./networks.ts";

const CHAIN_FILES = "node.sqlite*";

/** Deletes what embedded chains and their indexes have. A chain that somebody has open is left alone, and so are all. */
export async function resetNetworks(targets: readonly Target[]): Promise<void> {
  for (const { name, settings } of targets) {
    if (settings.rpc === undefined) continue;
    const which = name === undefined ? "this one follows" : `"${name}" follows`;
    throw invalid(`--reset is for embedded chains, and ${which} a node; delete ${settings.data} to index it again`);
  }
  for (const { settings } of targets) expectFree(settings.data);
  for (const { settings } of targets) {
    await removeStore(settings.data);
    for (const file of globSync(join(settings.data, CHAIN_FILES))) rmSync(file);
  }
}

/** One that is damaged is nobody's. */
function expectFree(directory: string): void {
  if (!hasChain(directory)) return;
  try {
    new ChainDatabase(directory).close();
  } catch (error) {
    if (asChainError(error).code === "store_locked") throw error;
  }
}
