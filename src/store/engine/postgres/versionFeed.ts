import type { PostgresConnection } from "./postgresConnection.ts";

export const VERSION_TABLE = "database_version";

/** Milliseconds until a lost subscription is opened again. */
const RESUBSCRIBE_DELAY = 1000;

/** Milliseconds between polls: replicas and connection poolers pass no notifications on. */
const POLL_INTERVAL = 250;

export const channelOf = (schema: string): string => `${schema}_version`;

interface FeedOptions {
  readonly schema: string;
  readonly open: () => Promise<PostgresConnection>;
  /** Asks for the version as well. */
  readonly isPolled: boolean;
  /** A pooler would keep the subscription on a connection that others use next. */
  readonly canListen?: boolean;
}

/** Newest version of a database that this process knows of: its own commits, notifications of other writers, and polls. */
export class VersionFeed {
  readonly channel: string;
  /** The newest version is another one. */
  onChange: (version: number) => void = () => {};
  readonly #sql: string;
  readonly #options: FeedOptions;
  #newest = -1;
  #connection: PostgresConnection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: FeedOptions) {
    this.channel = channelOf(options.schema);
    this.#sql = `SELECT version FROM ${options.schema}.${VERSION_TABLE}`;
    this.#options = options;
  }

  get newest(): number {
    return this.#newest;
  }

  observe(version: number): void {
    if (version > this.#newest) this.reset(version);
  }

  /** The database may have lost later versions. */
  reset(version: number): void {
    this.#newest = version;
    this.onChange(version);
  }

  /** Subscribes to the notifications of writers, and again whenever the connection is lost. */
  async subscribe(): Promise<void> {
    if (this.#isClosed) return;
    try {
      const connection = await this.#options.open();
      this.#connection = connection;
      connection.onNotification((payload) => this.observe(Number(payload)));
      connection.onClose(() => this.#later(RESUBSCRIBE_DELAY, () => this.subscribe()));
      // A replica refuses it.
      if (this.#options.canListen !== false) await connection.script(`LISTEN "${this.channel}"`).catch(() => {});
      // Commits before the subscription were not notified.
      await this.#poll(connection);
    } catch {
      this.#later(RESUBSCRIBE_DELAY, () => this.subscribe());
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#connection?.close();
  }

  /** Later states include earlier ones, unless a failover lost them. */
  async #poll(connection: PostgresConnection): Promise<void> {
    const known = this.#newest;
    const [row] = await connection.all<[number]>(this.#sql, []);
    const version = row?.[0] ?? 0;
    if (version < known && known === this.#newest) this.reset(version);
    else this.observe(version);
    if (this.#options.isPolled) {
      // A connection that is lost subscribes again.
      this.#later(POLL_INTERVAL, () => this.#poll(connection).catch(() => connection.close()));
    }
  }

  #later(milliseconds: number, work: () => Promise<void>): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void work(), milliseconds).unref();
  }
}
