import { ChainError } from "../../../chain/error.ts";
import type { Fence, WriteLock, Writer } from "../database.ts";
import type { PostgresConnection } from "./postgresConnection.ts";

export const LEASE_TABLE = "writer_lease";

/** Seconds until another process may take over from a writer that is silent. */
const LEASE_SECONDS = 5;
const RENEW_INTERVAL = 1500;

interface LeaseOptions {
  readonly schema: string;
  /** For messages. */
  readonly place: string;
  readonly open: () => Promise<PostgresConnection>;
}

/** Renews the lease of an epoch in a transaction of its holder. */
export class LeaseFence implements Fence {
  readonly #sql: string;
  readonly #epoch: number;
  readonly #place: string;

  constructor({ schema, place }: Pick<LeaseOptions, "schema" | "place">, epoch: number) {
    this.#sql = extendSql(schema, UNTIL);
    this.#epoch = epoch;
    this.#place = place;
  }

  async check(writer: Writer): Promise<void> {
    const rows = await writer.all(this.#sql, this.#epoch);
    if (rows.length === 0) throw new ChainError("store_locked", `another oriel writes to ${this.#place} now`);
  }
}

/**
 * A row rather than an advisory lock, which belongs to a session and is lost behind a connection pooler. Each takeover
 * increments the epoch; each transaction of the writer renews the lease of its epoch, or fails.
 */
export class WriterLease extends LeaseFence implements WriteLock {
  readonly token: number;
  readonly #options: LeaseOptions;
  readonly #timer: NodeJS.Timeout;
  #isReleased = false;

  private constructor(options: LeaseOptions, epoch: number) {
    super(options, epoch);
    this.#options = options;
    this.token = epoch;
    this.#timer = setInterval(() => void this.#renew(), RENEW_INTERVAL).unref();
  }

  static async acquire(options: LeaseOptions): Promise<WriterLease> {
    const { schema, place, open } = options;
    const connection = await open();
    try {
      const sql = `UPDATE ${schema}.${LEASE_TABLE} SET epoch = epoch + 1, until = ${UNTIL} WHERE until < clock_timestamp() RETURNING epoch`;
      const [row] = await connection.all<[number]>(sql, []);
      if (row !== undefined) return new WriterLease(options, row[0]);
    } finally {
      await connection.close();
    }
    throw new ChainError("store_locked", `another oriel is writing to ${place}; stop it first`);
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    clearInterval(this.#timer);
    await this.#update("'-infinity', epoch = epoch + 1");
  }

  /** The writer also renews it with every transaction. */
  async #renew(): Promise<void> {
    await this.#update(UNTIL).catch(() => {});
  }

  async #update(until: string): Promise<void> {
    const connection = await this.#options.open();
    try {
      await connection.all(extendSql(this.#options.schema, until), [this.token]);
    } finally {
      await connection.close();
    }
  }
}

function extendSql(schema: string, until: string): string {
  return `UPDATE ${schema}.${LEASE_TABLE} SET until = ${until} WHERE epoch = ? RETURNING epoch`;
}

const UNTIL = `clock_timestamp() + interval '${LEASE_SECONDS} seconds'`;
