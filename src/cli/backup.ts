import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { ChainError } from "../chain/error.ts";
import type { Invocation } from "../invocation.ts";
import type { Tip } from "../store/blocks.ts";
import { Store } from "../store/store.ts";
import { indexToRead } from "./networks.ts";

/** Copies the index to one file that opens as it is, while the indexer goes on writing. */
export async function backup(invocation: Invocation): Promise<number> {
  const { to } = invocation.settings;
  if (to === undefined) throw new ChainError("invalid_argument", "backup needs a file: oriel backup --to FILE");
  expectFree(to);
  if (!statSync(dirname(to), { throwIfNoEntry: false })?.isDirectory())
    throw new ChainError("invalid_argument", `there is no directory ${dirname(to)}`);
  const store = await Store.openReadOnly(indexToRead(invocation).settings.data);
  try {
    const tip = await copy(store, to);
    console.log(`copied the index up to block ${tip?.number ?? "none"} to ${to}`);
    return 0;
  } finally {
    await store.close();
  }
}

function expectFree(to: string): void {
  if (existsSync(to)) throw new ChainError("invalid_argument", `${to} is there already; backup overwrites nothing`);
}

/** The copy gets its name once all of it is on disk. What an interrupted one left behind is written over by the next. */
async function copy(store: Store, to: string): Promise<Tip | undefined> {
  const partial = `${to}.partial`;
  const discard = () => {
    for (const file of [partial, `${partial}-journal`, `${partial}-wal`, `${partial}-shm`])
      rmSync(file, { force: true });
  };
  discard();
  try {
    const tip = await store.backup(partial);
    sync(partial);
    expectFree(to);
    renameSync(partial, to);
    sync(dirname(to));
    return tip;
  } catch (error) {
    discard();
    throw error;
  }
}

function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
