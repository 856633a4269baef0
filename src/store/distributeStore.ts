import { ChainError } from "../chain/error.ts";
import type { Placement } from "./engine/database.ts";
import { databasesAt, describeUrl } from "./engine/databases.ts";
import { expectSameSchema, migrate, schemaVersion } from "./schema/migrate.ts";
import { MIGRATIONS } from "./schema/schema.ts";

export interface DistributedStore extends Placement {
  /** It was distributed before. */
  readonly wasDistributed: boolean;
}

/**
 * Spreads the tables of an index, or of one that is yet to be written, over the workers of its cluster. Verified contracts
 * and blobs stay where they are.
 */
export async function distributeStore(url: string, onTable: (table: string) => void): Promise<DistributedStore> {
  const databases = databasesAt(url);
  const { cluster } = databases;
  if (cluster === undefined)
    throw new ChainError("invalid_argument", `${describeUrl(url)} is SQLite, which is on one machine`);
  await cluster.expectWorkers();
  const known = await cluster.placement();
  if (known !== undefined) return { ...known, wasDistributed: true };
  const lock = await databases.lock({ name: "oriel db distribute" });
  try {
    await expectCurrent(url);
    await cluster.distribute(lock, onTable);
    const database = await databases.open("index");
    await migrate(database, MIGRATIONS, lock).finally(() => database.close());
    return { ...(await cluster.placement())!, wasDistributed: false };
  } finally {
    await lock.release();
  }
}

/** Empty, or of this version. */
async function expectCurrent(url: string): Promise<void> {
  const database = await databasesAt(url).open("index", { readOnly: true });
  try {
    const schema = await schemaVersion(database, MIGRATIONS.length);
    if (schema === MIGRATIONS.length) await expectSameSchema(database, MIGRATIONS);
    else if (schema > 0)
      throw new ChainError("unsupported", `${describeUrl(url)} has schema ${schema}; start oriel on it once first`);
  } finally {
    await database.close();
  }
}
