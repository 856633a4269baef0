import { ChainError } from "../chain/error.ts";
import type { VerifiedContracts } from "./contracts/verifiedContracts.ts";
import { loadHasher, makeHasher } from "./dictionary/secret.ts";
import type { Database, WriteLock } from "./engine/database.ts";
import { databasesAt } from "./engine/databases.ts";
import { PacedDatabase } from "./engine/paced.ts";
import { migrate, SCHEMA_VERSION, schemaVersion } from "./migrations/migrate.ts";
import { Store } from "./store.ts";

/** Opens the store of a chain for writing, creating it if need be. The URL chooses the engine. */
export async function openStore(url: string, chainId: number): Promise<Store> {
  const lock = lockStore(url);
  try {
    return await prepare(databasesAt(url).open("index"), chainId, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Keeps every other process from writing to a store until it is released. */
export function lockStore(url: string): WriteLock {
  return databasesAt(url).lock();
}

/** Opens for writing a store that this process has locked, maybe in another thread. */
export async function openLockedStore(url: string, chainId: number): Promise<Store> {
  return prepare(databasesAt(url).open("index"), chainId);
}

export interface ReadOnlyOptions {
  /** Every statement waits for it. */
  readonly turn?: () => Promise<void>;
  readonly verified?: VerifiedContracts;
}

/** Opens an existing store for reading, beside the process that writes it. */
export async function openStoreReadOnly(url: string, { turn, verified }: ReadOnlyOptions = {}): Promise<Store> {
  const databases = databasesAt(url);
  if (!databases.has("index")) throw new ChainError("not_found", `there is no index in ${url} yet`);
  const database = databases.open("index", { readOnly: true });
  const hash = (await schemaVersion(database)) === SCHEMA_VERSION ? await loadHasher(database) : undefined;
  if (hash !== undefined)
    return new Store(turn === undefined ? database : new PacedDatabase(database, turn), hash, { verified });
  await database.close();
  throw new ChainError("not_found", `the index in ${url} is being prepared`);
}

export function hasStore(url: string): boolean {
  return databasesAt(url).has("index");
}

export function removeStore(url: string): void {
  databasesAt(url).remove("index");
}

async function prepare(database: Database, chainId: number, lock?: WriteLock): Promise<Store> {
  try {
    await migrate(database);
    const store = new Store(database, (await loadHasher(database)) ?? (await makeHasher(database)), { lock });
    const known = await store.latest.meta("chain_id");
    if (known === undefined) await store.setMeta({ chain_id: String(chainId) });
    else if (known !== String(chainId)) {
      throw new ChainError("wrong_chain", `this data directory holds chain ${known}, not ${chainId}`);
    }
    return store;
  } catch (error) {
    await database.close();
    throw error;
  }
}
