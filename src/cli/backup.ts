import { existsSync } from "node:fs";
import { ChainError } from "../chain/error.ts";
import type { Settings } from "../config.ts";
import { Store } from "../store/store.ts";

/** Copies the index to one file that opens as it is, while the indexer goes on writing. */
export async function backup({ data, to }: Settings): Promise<number> {
  if (to === undefined) throw new ChainError("invalid_argument", "backup needs a file: oriel backup --to FILE");
  if (existsSync(to)) throw new ChainError("invalid_argument", `${to} is there already; backup overwrites nothing`);
  const store = await Store.openReadOnly(data);
  try {
    const tip = await store.backup(to);
    console.log(`copied the index up to block ${tip?.number ?? "none"} to ${to}`);
    return 0;
  } finally {
    await store.close();
  }
}
