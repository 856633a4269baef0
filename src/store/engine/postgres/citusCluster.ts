import { ChainError } from "../../../chain/error.ts";
import type { Cluster, Fence, Placement, Writer } from "../database.ts";
import { distributionColumn } from "./distributedTables.ts";
import { createNodeTables, isDistributed, NODE_TABLES, NodeVersions } from "./nodeVersions.ts";
import type { PostgresConnection } from "./postgresConnection.ts";
import { PLANNER } from "./postgresDialect.ts";

/** Settings under which workers plan the statements of their shards, as the coordinator plans its own. */
const WORKER_SETTINGS = ["enable_hashjoin", "enable_mergejoin", "enable_seqscan", "jit"] as const;

interface ClusterOptions {
  readonly schema: string;
  /** For messages. */
  readonly place: string;
  /** Without a time limit of statements. */
  readonly open: () => Promise<PostgresConnection>;
}

/** PostgreSQL with the extension Citus: the coordinator of a cluster. */
export class CitusCluster implements Cluster {
  readonly #options: ClusterOptions;

  constructor(options: ClusterOptions) {
    this.#options = options;
  }

  expectWorkers(): Promise<void> {
    return this.#use(async (connection) => {
      const { place } = this.#options;
      const [found] = await connection.all("SELECT 1 FROM pg_extension WHERE extname = 'citus'", []);
      if (found === undefined)
        throw new ChainError("unsupported", `${place} has no extension citus; install it on all nodes first`);
      const sql = "SELECT count(*) FROM pg_dist_node WHERE isactive AND shouldhaveshards";
      if ((await connection.all(sql, []))[0]?.[0] === 0)
        throw new ChainError("unsupported", `${place} has no nodes for shards; add them with citus_add_node first`);
    });
  }

  placement(): Promise<Placement | undefined> {
    const { schema } = this.#options;
    return this.#use(async (connection) => {
      if (!(await isDistributed(connection, schema))) return undefined;
      const [[nodes, shards] = [0, 0]] = await connection.all<[number, number]>(COUNTS, [schema]);
      const rows = await connection.all<[string, string | null]>(TABLES, [schema]);
      const settings = await connection.all<[string]>(ROLE_SETTINGS, []);
      const tables = rows.filter(([name]) => !NODE_TABLES.includes(name));
      return {
        nodes,
        shards,
        distributed: tables.flatMap(([table, column]) => (column === null ? [] : [{ table, column }])),
        kept: tables.flatMap(([table, column]) => (column === null ? [table] : [])),
        roleSettings: settings.map(([setting]) => setting),
      };
    });
  }

  /** In one transaction, so that one that fails leaves everything as it was. */
  distribute(fence: Fence, onTable: (table: string) => void): Promise<void> {
    const { schema } = this.#options;
    return this.#use(async (connection) => {
      await this.#expectNoReaders(connection);
      await createNodeTables(connection, schema, async () => {
        const sql = "SELECT tablename::text FROM pg_tables WHERE schemaname = ? ORDER BY 1";
        for (const [table] of await connection.all<[string]>(sql, [schema])) {
          const column = distributionColumn(table);
          if (column === undefined) continue;
          onTable(table);
          await connection.script(NodeVersions.distributeSql(schema, table, column));
          await connection.script(`SELECT truncate_local_data_after_distributing_table('${schema}.${table}')`);
        }
        for (const name of WORKER_SETTINGS)
          await connection.script(workerSetting(await databaseName(connection), name, PLANNER[name]));
        await fence.check(statementsOf(connection));
      });
    });
  }

  /** Those of this schema, which would read shards without comparing their versions. */
  async #expectNoReaders(connection: PostgresConnection): Promise<void> {
    const { schema, place } = this.#options;
    const sql = `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'oriel' AND datname = current_database()
      AND query LIKE 'SELECT version FROM %' AND position(? IN query) > 0`;
    const [[readers] = [0]] = await connection.all<[number]>(sql, [`${schema}.`]);
    if (readers > 0)
      throw new ChainError("store_locked", `${readers} processes of oriel read ${place}; stop them first`);
  }

  async #use<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const connection = await this.#options.open();
    try {
      return await work(connection);
    } finally {
      await connection.close();
    }
  }
}

/** The part of a writer that a fence uses. */
function statementsOf(connection: PostgresConnection): Writer {
  return { all: (sql: string, ...parameters: (string | number)[]) => connection.all(sql, parameters) } as Writer;
}

async function databaseName(connection: PostgresConnection): Promise<string> {
  return String((await connection.all<[string]>("SELECT quote_ident(current_database())::text", []))[0]?.[0]);
}

const workerSetting = (database: string, name: string, value: string): string =>
  `ALTER ROLE CURRENT_USER IN DATABASE ${database} SET ${name} = ${value}`;

const COUNTS = `SELECT count(DISTINCT p.groupid), count(DISTINCT s.shardid) FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid)
  WHERE s.logicalrelid = to_regclass(? || '.shard_key')`;

const ROLE_SETTINGS = `SELECT unnest(s.setconfig) FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole JOIN pg_database d ON d.oid = s.setdatabase
  WHERE r.rolname = current_user AND d.datname = current_database() ORDER BY 1`;

const TABLES = `SELECT c.relname::text, column_to_column_name(p.logicalrelid, p.partkey) FROM pg_class c LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid
  WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = ?) AND c.relkind = 'r' ORDER BY 1`;
