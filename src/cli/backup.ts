import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { ChainError } from "../chain/error.ts";
import { storeUrlOf } from "../config.ts";
import type { Invocation } from "../invocation.ts";
import { openStoreReadOnly } from "../store/openStore.ts";
import { indexToRead } from "./networks.ts";

/** Copies the index to a single file while the indexer keeps writing. */
export async function backup(invocation: Invocation): Promise<number> {
  const { to } = invocation.settings;
  if (to === undefined) throw new ChainError("invalid_argument", "backup needs a file: oriel backup --to FILE");
  if (existsSync(to)) throw new ChainError("invalid_argument", `${to} is there already; backup overwrites nothing`);
  if (!statSync(dirname(to), { throwIfNoEntry: false })?.isDirectory())
    throw new ChainError("invalid_argument", `there is no directory ${dirname(to)}`);
  const store = await openStoreReadOnly(storeUrlOf((await indexToRead(invocation)).settings));
  try {
    const tip = await store.backup(to);
    console.log(`copied the index up to block ${tip?.number ?? "none"} to ${to}`);
    return 0;
  } finally {
    await store.close();
  }
}
