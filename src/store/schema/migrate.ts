import { createHash } from "node:crypto";
import { ChainError } from "../../chain/error.ts";
import type { Database, Dialect, Fence, ReadDatabase, Writer } from "../engine/database.ts";
import { NO_FENCE } from "../engine/database.ts";
import { DIALECT } from "../engine/sqliteConnection.ts";

export interface Migration {
  readonly statements: (dialect: Dialect) => string[];
  /** Derives rows of new tables from existing ones. */
  readonly fill?: (writer: Writer) => Promise<void>;
}

/** Throws if the database is newer than this program. */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  fence: Fence = NO_FENCE,
): Promise<void> {
  const newest = migrations.length;
  if ((await schemaVersion(database, newest)) === newest) return;
  await database.transaction(fence, async (writer) => {
    // Another process may have migrated meanwhile.
    const found = await schemaVersion(writer, newest);
    for (const { statements, fill } of migrations.slice(found)) {
      for (const statement of statements(writer.dialect)) await writer.run(statement);
      await fill?.(writer);
    }
    await writer.upsert(
      "meta",
      ["name", "value"],
      [
        ["schema", String(newest)],
        ["schema_digest", digestOf(migrations)],
      ],
    );
  });
}

/** Refuses a database whose tables were made by other statements: released migrations are never edited, unreleased ones are. */
export async function expectSameSchema(db: ReadDatabase, migrations: readonly Migration[]): Promise<void> {
  const rows = await db.all<[string]>("SELECT value FROM meta WHERE name = 'schema_digest'");
  if (rows[0]?.[0] === digestOf(migrations)) return;
  throw new ChainError(
    "unsupported",
    "the index was made by an unreleased build with other tables; start with --reset, or name another data directory",
  );
}

/** In the spelling of one engine, so that a copy of the database on another engine has the same. */
function digestOf(migrations: readonly Migration[]): string {
  const hash = createHash("sha256");
  for (const { statements } of migrations) for (const statement of statements(DIALECT)) hash.update(`${statement};`);
  return hash.digest("hex");
}

export async function schemaVersion(db: ReadDatabase | Writer, newest: number): Promise<number> {
  const tables = await db.tables();
  if (tables.length === 0) return 0;
  const [row] = tables.includes("meta") ? await db.all("SELECT value FROM meta WHERE name = 'schema'") : [];
  const version = Number(row?.[0]);
  if (!Number.isInteger(version)) throw new ChainError("store_corrupt", "the database is not one of ours");
  if (version <= newest) return version;
  throw new ChainError(
    "store_newer",
    `the database has schema ${version}, this program knows ${newest}; use a newer oriel or another data directory`,
  );
}
