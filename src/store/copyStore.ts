import { ChainError } from "../chain/error.ts";
import { BLOB_MIGRATIONS } from "./blobStore.ts";
import { CONTRACT_MIGRATIONS } from "./contracts/schema.ts";
import type { CopyStep } from "./copyTables.ts";
import { contentDigest, copyTables, readMarker, startCopy } from "./copyTables.ts";
import type { Database, DatabaseName, Databases, Fence } from "./engine/database.ts";
import { NO_FENCE } from "./engine/database.ts";
import { databasesAt, describeUrl } from "./engine/databases.ts";
import type { Migration } from "./schema/migrate.ts";
import { expectSameSchema, migrate, schemaVersion } from "./schema/migrate.ts";
import { MIGRATIONS } from "./schema/schema.ts";

/** The index is complete last: until then it is marked as an unfinished copy. */
const COPIED: readonly { readonly name: DatabaseName; readonly migrations: readonly Migration[] }[] = [
  { name: "contracts", migrations: CONTRACT_MIGRATIONS },
  { name: "blobs", migrations: BLOB_MIGRATIONS },
  { name: "index", migrations: MIGRATIONS },
];

export interface CopyProgress extends CopyStep {
  readonly database: DatabaseName;
}

interface CopyOptions {
  readonly onProgress: (progress: CopyProgress) => void;
}

/**
 * Copies all databases of a network to another store, of any engine. Nothing may write to either meanwhile. A copy that
 * was interrupted goes on where it was. Returns the digest of the contents of both.
 */
export async function copyStore(from: string, to: string, { onProgress }: CopyOptions): Promise<string> {
  const [source, target] = [databasesAt(from), databasesAt(to)];
  if (!(await source.has("index"))) throw new ChainError("not_found", `there is no index in ${describeUrl(from)}`);
  await using held = new AsyncDisposableStack();
  held.adopt(await source.lock(), (taken) => taken.release());
  const own = held.adopt(await target.lock(), (taken) => taken.release());
  const digests: string[] = [];
  await markIndex(source, target, own);
  for (const { name, migrations } of COPIED) {
    if (!(await source.has(name))) continue;
    const isIndex = name === "index";
    const [read, written] = [await source.open(name, sharing(isIndex)), await target.open(name, sharing(isIndex))];
    try {
      await expectSchema(read, migrations, from);
      await migrate(written, migrations, isIndex ? own : NO_FENCE);
      await copyTables(read, written, {
        fence: isIndex ? own : NO_FENCE,
        onStep: (step) => onProgress({ database: name, ...step }),
      });
      digests.push(await compare(name, read, written));
    } finally {
      await Promise.all([read.close(), written.close()]);
    }
  }
  return digests.at(-1)!;
}

const sharing = (isIndex: boolean) => ({ isShared: !isIndex, isShrinkable: false });

/** Before anything else is written, so that nobody takes the target for an index of its own. */
async function markIndex(source: Databases, target: Databases, fence: Fence): Promise<void> {
  const [read, written] = [await source.open("index"), await target.open("index")];
  try {
    await expectSchema(read, MIGRATIONS, source.locate("index"));
    await expectSameSchema(read, MIGRATIONS);
    const schema = await schemaVersion(written, MIGRATIONS.length);
    if (schema > 0 && (await readMarker(written)) === undefined)
      throw new ChainError("invalid_argument", `there is something in ${target.locate("index")} already`);
    await migrate(written, MIGRATIONS, fence);
    await startCopy(read, written, fence);
  } finally {
    await Promise.all([read.close(), written.close()]);
  }
}

async function expectSchema(database: Database, migrations: readonly Migration[], place: string): Promise<void> {
  const schema = await schemaVersion(database, migrations.length);
  if (schema === migrations.length) return;
  const advice = "start oriel on it once, which migrates it";
  throw new ChainError(
    "unsupported",
    `${describeUrl(place)} has schema ${schema}, not ${migrations.length}; ${advice}`,
  );
}

async function compare(name: DatabaseName, read: Database, written: Database): Promise<string> {
  const [expected, actual] = [await contentDigest(read), await contentDigest(written)];
  if (expected === actual) return actual;
  throw new ChainError("store_corrupt", `the copy of the database "${name}" differs from it; copy it again`);
}
