import { ChainError } from "../../../chain/error.ts";
import { defined } from "../../../std/values.ts";
import type { LockToken, Row, WriterInfo } from "../database.ts";
import type { PostgresConnection } from "./postgresConnection.ts";
import { channelOf, VERSION_TABLE } from "./versionFeed.ts";

export const LEASE_TABLE = "writer_lease";

/** Seconds until another process may take over from a writer that is silent. */
const LEASE_SECONDS = 5;

/** Versions are `epoch * 2^32 + n` and safe integers. */
const MAX_EPOCH = 2 ** 21;

const ALIVE = `seen = clock_timestamp(), until = clock_timestamp() + interval '${LEASE_SECONDS} seconds'`;

export interface LeaseOptions {
  readonly schema: string;
  /** For messages. */
  readonly place: string;
  readonly open: () => Promise<PostgresConnection>;
}

interface Statements {
  all<R extends Row>(sql: string, ...parameters: (string | number)[]): Promise<R[]>;
}

/** Statements about the row of the lease. None but `extend` waits for a lock. */
export class LeaseTable {
  readonly place: string;
  readonly #schema: string;
  readonly #table: string;

  constructor({ schema, place }: Pick<LeaseOptions, "schema" | "place">) {
    this.place = place;
    this.#schema = schema;
    this.#table = `${schema}.${LEASE_TABLE}`;
  }

  static createSql(schema: string): string {
    return `CREATE TABLE IF NOT EXISTS ${schema}.${LEASE_TABLE} (epoch BIGINT NOT NULL, until TIMESTAMPTZ NOT NULL, seen TIMESTAMPTZ NOT NULL, holder TEXT NOT NULL);
      INSERT INTO ${schema}.${LEASE_TABLE} SELECT 0, '-infinity', clock_timestamp(), '' WHERE NOT EXISTS (SELECT 1 FROM ${schema}.${LEASE_TABLE})`;
  }

  /**
   * Takes an expired lease, unless a transaction of its holder is in progress, which has locked the row. The first
   * version of an epoch is random: a failover may lose an epoch, and its versions must not be used again.
   */
  async take(connection: PostgresConnection, holder: string): Promise<LockToken | WriterInfo> {
    const sql = `WITH free AS (
        SELECT l.ctid FROM ${this.#table} l CROSS JOIN ${this.#schema}.${VERSION_TABLE} v
        WHERE l.until < clock_timestamp() FOR UPDATE SKIP LOCKED
      ), taken AS (
        UPDATE ${this.#table} l SET epoch = epoch + 1, ${ALIVE}, holder = ? FROM free WHERE l.ctid = free.ctid RETURNING l.epoch
      )
      UPDATE ${this.#schema}.${VERSION_TABLE} v SET version = taken.epoch * 4294967296 + floor(random() * 2147483648)::bigint
      FROM taken RETURNING taken.epoch, pg_notify('${channelOf(this.#schema)}', v.version::text)`;
    const [taken] = await connection.all<[number]>(sql, [holder]);
    if (taken === undefined) return this.read(connection);
    if (taken[0] >= MAX_EPOCH)
      throw new ChainError("limit_exceeded", `${this.place} had ${taken[0]} writers: too many`);
    return { epoch: taken[0], holder };
  }

  /** Inside a transaction of the holder. Returns whether it still is. */
  async extend(writer: Statements, { epoch, holder }: LockToken): Promise<boolean> {
    const sql = `UPDATE ${this.#table} SET ${ALIVE} WHERE epoch = ? AND holder = ? RETURNING epoch`;
    return (await writer.all(sql, epoch, holder)).length > 0;
  }

  /** Beside transactions of the holder, which renew it themselves. Returns whether the lease is still held. */
  async renew(connection: PostgresConnection, { epoch, holder }: LockToken): Promise<boolean> {
    const sql = `WITH free AS (SELECT ctid FROM ${this.#table} WHERE epoch = ? AND holder = ? FOR UPDATE SKIP LOCKED),
        renewed AS (UPDATE ${this.#table} l SET ${ALIVE} FROM free WHERE l.ctid = free.ctid)
      SELECT 1 FROM ${this.#table} WHERE epoch = ? AND holder = ?`;
    return (await connection.all(sql, [epoch, holder, epoch, holder])).length > 0;
  }

  async end(connection: PostgresConnection, { epoch, holder }: LockToken): Promise<void> {
    const sql = `UPDATE ${this.#table} SET until = '-infinity', epoch = epoch + 1 WHERE epoch = ? AND holder = ?`;
    await connection.all(sql, [epoch, holder]);
  }

  async read(connection: PostgresConnection): Promise<WriterInfo> {
    const silence = "greatest(0, extract(epoch FROM clock_timestamp() - seen))";
    const sql = `SELECT holder, until > clock_timestamp(), ${silence} FROM ${this.#table}`;
    const [name, isActive, age] = defined((await connection.all<[string, number, number]>(sql, []))[0]);
    return { name, isActive: isActive === 1, age };
  }
}
