import { ChainError } from "../../../chain/error.ts";
import type {
  Database,
  DatabaseName,
  Databases,
  Fence,
  LockOptions,
  LockToken,
  OpenOptions,
  WriteLock,
} from "../database.ts";
import { NO_FENCE } from "../database.ts";
import { CitusCluster } from "./citusCluster.ts";
import { ON_ONE_NODE, onNodes } from "./distribution.ts";
import { LeaseTable } from "./leaseTable.ts";
import { createNodeTables, isDistributed, isWanted } from "./nodeVersions.ts";
import { PostgresConnection } from "./postgresConnection.ts";
import { PostgresDatabase } from "./postgresDatabase.ts";
import { ReplicaGuard } from "./replicaGuard.ts";
import { expectUsable } from "./serverSettings.ts";
import { VERSION_TABLE, VersionFeed } from "./versionFeed.ts";
import { LeaseFence, WriterLease } from "./writerLease.ts";

const DEFAULT_PREFIX = "oriel";

/** Connections for reads of one database of this process. */
const READERS = 8;

const CONNECT_TIMEOUT = 10_000;

/** Milliseconds after which a connection counts as dead: longer than any statement may take. */
const QUERY_TIMEOUT = 40_000;

const NO_TIMEOUT = 0;

/** The same for statements about the lease and the version, which wait for nothing. */
const SHORT_QUERY_TIMEOUT = 3000;

/** Databases as schemas of a PostgreSQL database: `postgres://user:password@host:port/database?schema=prefix`. */
export class PostgresServer implements Databases {
  readonly cluster: CitusCluster;
  readonly #url: string;
  readonly #prefix: string;
  readonly #name: string;
  /** Some connection poolers do not know prepared statements. */
  readonly #canPrepare: boolean;

  constructor(url: string) {
    const parsed = parseUrl(url);
    this.#prefix = parsed.searchParams.get("schema") ?? DEFAULT_PREFIX;
    if (!/^[a-z_][a-z0-9_]{0,39}$/.test(this.#prefix)) {
      throw new ChainError(
        "invalid_argument",
        "the schema of a database URL is a lower case name of at most 40 letters",
      );
    }
    this.#canPrepare = parsed.searchParams.get("prepare") !== "false";
    for (const own of ["schema", "prepare"]) parsed.searchParams.delete(own);
    this.#url = parsed.href;
    this.#name = `${parsed.hostname || "localhost"}${parsed.pathname}`;
    const open = () => this.#connect(NO_TIMEOUT);
    this.cluster = new CitusCluster({ schema: this.#schemaOf("index"), place: this.#name, open });
  }

  async lock(options?: LockOptions): Promise<WriteLock> {
    const schema = this.#schemaOf("index");
    await this.#create(schema);
    const open = () => this.#connect(SHORT_QUERY_TIMEOUT);
    return WriterLease.acquire({ schema, place: this.#name, open }, options);
  }

  fenceOf(token: LockToken | undefined): Fence {
    if (token === undefined) return NO_FENCE;
    return new LeaseFence(new LeaseTable({ schema: this.#schemaOf("index"), place: this.#name }), token);
  }

  async has(name: DatabaseName): Promise<boolean> {
    const connection = await this.#connect();
    try {
      const sql = "SELECT 1 FROM pg_tables WHERE schemaname = ? AND tablename = ?";
      return (await connection.all(sql, [this.#schemaOf(name), VERSION_TABLE])).length > 0;
    } finally {
      await connection.close();
    }
  }

  async open(name: DatabaseName, { readOnly = false, primary }: OpenOptions = {}): Promise<Database> {
    const schema = this.#schemaOf(name);
    if (readOnly) await this.#expectReadable();
    else await this.#create(schema);
    const open = () => this.#connect();
    const versions = this.#feedOf(name, readOnly);
    const leader = primary === undefined ? undefined : new PostgresServer(primary).#feedOf(name, true);
    const guard = leader && new ReplicaGuard(leader);
    const distribution = (await this.#isDistributed(schema)) ? onNodes(schema) : ON_ONE_NODE;
    const options = { schema, place: this.#name, open, connections: READERS, readOnly, versions, guard, distribution };
    const database = new PostgresDatabase(options);
    try {
      await versions.subscribe();
      await leader?.subscribe();
      await database.prepare();
      return database;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  async remove(name: DatabaseName): Promise<void> {
    const connection = await this.#connect();
    try {
      await connection.script(`DROP SCHEMA IF EXISTS ${this.#schemaOf(name)} CASCADE`);
    } finally {
      await connection.close();
    }
  }

  /** Without credentials. */
  locate(name: DatabaseName): string {
    return `${this.#name} (schema ${this.#schemaOf(name)})`;
  }

  #feedOf(name: DatabaseName, isPolled: boolean): VersionFeed {
    const open = () => this.#connect(SHORT_QUERY_TIMEOUT);
    return new VersionFeed({ schema: this.#schemaOf(name), open, isPolled, canListen: this.#canPrepare });
  }

  #schemaOf(name: DatabaseName): string {
    return `${this.#prefix}_${name}`;
  }

  #connect(queryTimeout = QUERY_TIMEOUT): Promise<PostgresConnection> {
    const config = {
      connectionString: this.#url,
      application_name: "oriel",
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      query_timeout: queryTimeout,
      keepAlive: true,
    };
    return new PostgresConnection(config, this.#canPrepare).connect();
  }

  async #isDistributed(schema: string): Promise<boolean> {
    const connection = await this.#connect();
    try {
      return await isDistributed(connection, schema);
    } finally {
      await connection.close();
    }
  }

  async #expectReadable(): Promise<void> {
    const connection = await this.#connect();
    try {
      await expectUsable(connection, this.#name);
    } finally {
      await connection.close();
    }
  }

  /** Concurrent processes may create the same schema. */
  async #create(schema: string): Promise<void> {
    const connection = await this.#connect();
    try {
      if (await expectUsable(connection, this.#name))
        throw new ChainError("store_unavailable", `${this.#name} is a replica: it cannot be written`);
      await connection.script(
        `BEGIN; SELECT pg_advisory_xact_lock(${CREATION_LOCK}); CREATE SCHEMA IF NOT EXISTS ${schema};
         CREATE TABLE IF NOT EXISTS ${schema}.${VERSION_TABLE} (version BIGINT NOT NULL);
         INSERT INTO ${schema}.${VERSION_TABLE} SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM ${schema}.${VERSION_TABLE});
         ${LeaseTable.createSql(schema)};
         COMMIT`,
      );
      if (await isWanted(connection, schema)) await createNodeTables(connection, schema);
    } finally {
      await connection.close();
    }
  }
}

/** Key of the advisory lock under which schemas are created. */
const CREATION_LOCK = 7_106_949_677;

/** The message of the built-in error would repeat the password. */
function parseUrl(url: string): URL {
  if (URL.canParse(url)) return new URL(url);
  throw new ChainError(
    "invalid_argument",
    "the database URL is malformed: use postgres://user:password@host:port/name",
  );
}
