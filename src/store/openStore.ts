import { setTimeout as delay } from "node:timers/promises";
import { asChainError, ChainError } from "../chain/error.ts";
import { readMarker } from "./copyTables.ts";
import { loadHasher, makeHasher } from "./dictionary/secret.ts";
import type { Database, Fence, LockOptions, LockToken, WriteLock } from "./engine/database.ts";
import { NO_FENCE } from "./engine/database.ts";
import { databasesAt, describeUrl } from "./engine/databases.ts";
import type { RunSizes } from "./keys/keyTable.ts";
import { expectSameSchema, migrate, schemaVersion } from "./schema/migrate.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "./schema/schema.ts";
import { Store } from "./store.ts";
import type { ReaderOptions } from "./storeReader.ts";
import { StoreReader } from "./storeReader.ts";

/** Creates the store if needed. The URL selects the engine. */
export async function openStore(url: string, chainId: number): Promise<Store> {
  const lock = await lockStore(url);
  try {
    return await prepareStore(await databasesAt(url).open("index"), chainId, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Exclusive write access until released. */
export function lockStore(url: string, options?: LockOptions): Promise<WriteLock> {
  return databasesAt(url).lock(options);
}

/** For a store locked by this process, possibly in another thread: `token` is that of the lock. */
export async function openLockedStore(url: string, chainId: number, token?: LockToken): Promise<Store> {
  const databases = databasesAt(url);
  return prepareStore(await databases.open("index"), chainId, databases.fenceOf(token));
}

/** Works beside a writing process. */
export async function openStoreReadOnly(url: string, options: ReaderOptions = {}): Promise<StoreReader> {
  const databases = databasesAt(url);
  if (!(await databases.has("index")))
    throw new ChainError("not_found", `there is no index in ${describeUrl(url)} yet`);
  const database = await databases.open("index", { readOnly: true, primary: options.primary });
  try {
    return await readPrepared(database, url, options);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function readPrepared(database: Database, url: string, options: ReaderOptions): Promise<StoreReader> {
  const schema = await schemaVersion(database, SCHEMA_VERSION);
  if (schema === SCHEMA_VERSION) await expectSameSchema(database, MIGRATIONS);
  const hash = schema === SCHEMA_VERSION ? await loadHasher(database) : undefined;
  if (hash !== undefined) return new StoreReader(database, hash, options);
  if (schema === 0 || schema === SCHEMA_VERSION) throw beingPrepared(url);
  throw new ChainError(
    "unsupported",
    `the index in ${describeUrl(url)} has schema ${schema}, this program needs ${SCHEMA_VERSION}; oriel start and oriel index migrate it`,
  );
}

interface WaitOptions extends ReaderOptions {
  readonly signal: AbortSignal;
  /** Called once if there is nothing to read yet. */
  readonly onWait: (reason: string) => void;
}

/** Waits until another process has prepared the index. */
export async function openReaderWhenReady(url: string, chainId: number, options: WaitOptions): Promise<StoreReader> {
  for (let hasWaited = false; ; hasWaited = true) {
    try {
      const store = await openStoreReadOnly(url, options);
      const known = await store.latest.chainId();
      if (known === chainId) return store;
      await store.close();
      throw Number.isNaN(known) ? beingPrepared(url) : wrongChain(url, known, chainId);
    } catch (error) {
      const { code, message } = asChainError(error);
      if (code !== "not_found") throw error;
      if (!hasWaited) options.onWait(message);
      await delay(WAIT_INTERVAL, undefined, { signal: options.signal });
    }
  }
}

const WAIT_INTERVAL = 500;

/** Its tables are there, and not all that a new index records. */
function beingPrepared(url: string): ChainError {
  return new ChainError("not_found", `the index in ${describeUrl(url)} is being prepared`);
}

function wrongChain(url: string, known: number | string, chainId: number): ChainError {
  return new ChainError("wrong_chain", `${describeUrl(url)} holds chain ${known}, not ${chainId}`);
}

export function hasStore(url: string): Promise<boolean> {
  return databasesAt(url).has("index");
}

export function removeStore(url: string): Promise<void> {
  return databasesAt(url).remove("index");
}

export async function prepareStore(
  database: Database,
  chainId: number,
  fence: Fence = NO_FENCE,
  runSizes?: RunSizes,
): Promise<Store> {
  try {
    await migrate(database, MIGRATIONS, fence);
    await expectSameSchema(database, MIGRATIONS);
    if ((await readMarker(database)) !== undefined)
      throw new ChainError("store_corrupt", "the index is an unfinished copy; run oriel export or import again");
    const hash = (await loadHasher(database)) ?? (await database.transaction(fence, makeHasher));
    const store = new Store(database, hash, fence, runSizes);
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
