import { settleAll } from "../../../std/async.ts";
import { defined } from "../../../std/values.ts";
import { binaryArray } from "./binaryArray.ts";
import type { PostgresConnection } from "./postgresConnection.ts";
import { VERSION_TABLE } from "./versionFeed.ts";

/** Version of the last commit, of which every node has a copy, and the coordinator one that only it has. */
export const NODE_VERSION_TABLE = "node_version";
const COORDINATOR_TABLE = "coordinator_version";

/** A row in every shard, by which a statement reaches a node; and on the coordinator which shard has which. */
const KEY_TABLE = "shard_key";
const SHARD_TABLE = "shard";

export const NODE_TABLES = [NODE_VERSION_TABLE, COORDINATOR_TABLE, KEY_TABLE, SHARD_TABLE];

/** Candidates for the key of each shard: hashes are uniform, so each shard gets one. */
const CANDIDATES = 100;

/**
 * Tells whether all nodes show one state. A commit reaches the coordinator first and then each worker, which Citus does
 * not hide from readers: a session would see blocks without their transactions. So the writer notes its version on every
 * node, each node is asked for it before anything is read, and the snapshots that answered alike are of one state.
 */
export class NodeVersions {
  /** Columns read by the first statement of a transaction: the version, and the key of a shard of each node. */
  readonly expected: string;
  readonly #read: string;
  readonly #writes: readonly string[];

  constructor(schema: string) {
    this.expected = `(SELECT version FROM ${schema}.${COORDINATOR_TABLE}) || ':' || (SELECT string_agg(key::text, ',') FROM (SELECT min(s.key) AS key FROM ${schema}.${SHARD_TABLE} s JOIN pg_dist_placement p ON p.shardid = s.id GROUP BY p.groupid) nodes)`;
    this.#read = `SELECT v.version FROM ${schema}.${KEY_TABLE} k CROSS JOIN ${schema}.${NODE_VERSION_TABLE} v WHERE k.key = ANY(?)`;
    this.#writes = [COORDINATOR_TABLE, NODE_VERSION_TABLE].map((table) => `UPDATE ${schema}.${table} SET version = ?`);
  }

  /** Ends in a table that other tables are colocated with. */
  static createSql(schema: string): string[] {
    const [keys, shards] = [`${schema}.${KEY_TABLE}`, `${schema}.${SHARD_TABLE}`];
    const [own, versions] = [`${schema}.${COORDINATOR_TABLE}`, `${schema}.${NODE_VERSION_TABLE}`];
    const ids = `SELECT min(i) AS key, get_shard_id_for_distribution_column('${keys}', i) AS id
      FROM generate_series(1, ${CANDIDATES} * (SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = '${keys}'::regclass)) i GROUP BY 2`;
    return [
      `CREATE TABLE ${own} AS SELECT version FROM ${schema}.${VERSION_TABLE}`,
      `CREATE TABLE ${versions} AS SELECT version FROM ${own}`,
      `SELECT create_reference_table('${versions}')`,
      `CREATE TABLE ${keys} (key BIGINT PRIMARY KEY)`,
      `SELECT create_distributed_table('${keys}', 'key', colocate_with => 'none')`,
      `CREATE TABLE ${shards} AS ${ids}`,
      `INSERT INTO ${keys} SELECT key FROM ${shards}`,
    ];
  }

  /** Takes the snapshots of all nodes. */
  async areAt(connection: PostgresConnection, expected: string | null): Promise<boolean> {
    const [version, keys] = defined(expected).split(":");
    const sought = defined(keys).split(",").map(Number);
    const rows = await connection.all<[number]>(this.#read, [binaryArray("integer", sought)]);
    return rows.length === sought.length && rows.every(([known]) => known === Number(version));
  }

  /** Sends the statements, and waits for them. */
  async write(connection: PostgresConnection, version: number): Promise<void> {
    await settleAll(this.#writes.map((sql) => connection.all(sql, [version])));
  }

  /** A statement that distributes a table. */
  static distributeSql(schema: string, table: string, column: string): string {
    return `SELECT create_distributed_table('${schema}.${table}', '${column}', colocate_with => '${schema}.${KEY_TABLE}')`;
  }
}

export async function isDistributed(connection: PostgresConnection, schema: string): Promise<boolean> {
  const sql = "SELECT to_regclass(?) IS NOT NULL";
  return (await connection.all<[number]>(sql, [`${schema}.${NODE_VERSION_TABLE}`]))[0]?.[0] === 1;
}

/** Whether the database is set to distribute what is created in it, and this schema has no tables of a store yet. */
export async function isWanted(connection: PostgresConnection, schema: string): Promise<boolean> {
  const sql = `SELECT current_setting('oriel.distributed', true) = 'on' AND ? LIKE '%\\_index'
    AND (SELECT count(*) FROM pg_tables WHERE schemaname = ?) = 2`;
  return (await connection.all<[number | null]>(sql, [schema, schema]))[0]?.[0] === 1;
}

/** Concurrent processes may create them. What is done with them is in the same transaction. */
export async function createNodeTables(
  connection: PostgresConnection,
  schema: string,
  work: () => Promise<void> = async () => {},
): Promise<void> {
  await connection.script(`BEGIN; LOCK TABLE ${schema}.${VERSION_TABLE}`);
  try {
    if (!(await isDistributed(connection, schema))) {
      await connection.script("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
      for (const sql of NodeVersions.createSql(schema)) await connection.script(sql);
      await work();
    }
    await connection.script("COMMIT");
  } catch (error) {
    await connection.script("ROLLBACK").catch(() => {});
    throw error;
  }
}
