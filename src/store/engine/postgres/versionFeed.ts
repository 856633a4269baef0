import type { PostgresConnection } from "./postgresConnection.ts";

export const VERSION_TABLE = "database_version";

/** Milliseconds until a lost subscription is opened again. */
const RESUBSCRIBE_DELAY = 1000;

/** Newest version of a database that this process knows of: its own commits, and notifications of other writers. */
export class VersionFeed {
  readonly channel: string;
  readonly #sql: string;
  readonly #open: () => Promise<PostgresConnection>;
  #newest = -1;
  #connection: PostgresConnection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(schema: string, open: () => Promise<PostgresConnection>) {
    this.channel = `${schema}_version`;
    this.#sql = `SELECT version FROM ${schema}.${VERSION_TABLE}`;
    this.#open = open;
  }

  get newest(): number {
    return this.#newest;
  }

  observe(version: number): void {
    this.#newest = Math.max(this.#newest, version);
  }

  /** Subscribes to the notifications of writers, and again whenever the connection is lost. */
  async subscribe(): Promise<void> {
    if (this.#isClosed) return;
    try {
      const connection = await this.#open();
      this.#connection = connection;
      connection.onNotification((payload) => this.observe(Number(payload)));
      connection.onClose(() => this.#subscribeLater());
      await connection.script(`LISTEN "${this.channel}"`);
      // Commits before the subscription were not notified.
      for (const [version] of await connection.all<[number]>(this.#sql, [])) this.observe(version);
    } catch {
      this.#subscribeLater();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#connection?.close();
  }

  #subscribeLater(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.subscribe(), RESUBSCRIBE_DELAY).unref();
  }
}
