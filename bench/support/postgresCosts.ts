import pg from "pg";
import { cpuOf } from "./program.ts";

/** CPU and bytes of a local server, as its superuser sees them. */
export class PostgresCosts {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(url: string): Promise<PostgresCosts> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return new PostgresCosts(client);
  }

  /** Milliseconds of CPU of the processes that serve clients, from before `work` to its end. None of them may end meanwhile. */
  async backendCpu(work: () => Promise<void>): Promise<number> {
    const before = await this.#cpuByBackend();
    await work();
    let spent = 0;
    for (const [pid, cpu] of await this.#cpuByBackend()) spent += cpu - (before.get(pid) ?? 0);
    return spent;
  }

  /** Bytes of the tables of a schema with their indexes. */
  async bytes(schema: string): Promise<Map<string, { readonly table: number; readonly indexes: number }>> {
    const { rows } = await this.#client.query<{ name: string; table: string; indexes: string }>(
      `SELECT relname AS name, pg_table_size(oid) AS table, pg_indexes_size(oid) AS indexes FROM pg_class
        WHERE relkind = 'r' AND relnamespace = $1::regnamespace`,
      [schema],
    );
    return new Map(rows.map(({ name, table, indexes }) => [name, { table: Number(table), indexes: Number(indexes) }]));
  }

  /** Milliseconds of CPU that it takes to COPY the rows of a schema into empty tables with the same keys. */
  async copyCpu(schema: string): Promise<number> {
    const tables = [...(await this.bytes(schema)).keys()];
    const { rows } = await this.#client.query<{ directory: string }>(
      "SELECT current_setting('data_directory') AS directory",
    );
    const fileOf = (table: string) => `'${rows[0]!.directory}/copied_${table}'`;
    const copied = `${schema}_copied`;
    await this.#client.query(`CREATE SCHEMA ${copied}`);
    for (const table of tables) {
      await this.#client.query(`COPY ${schema}.${table} TO ${fileOf(table)} (FORMAT binary)`);
      await this.#client.query(`CREATE TABLE ${copied}.${table} (LIKE ${schema}.${table} INCLUDING ALL)`);
    }
    const cpu = await this.backendCpu(async () => {
      for (const table of tables)
        await this.#client.query(`COPY ${copied}.${table} FROM ${fileOf(table)} (FORMAT binary)`);
    });
    await this.#client.query(`DROP SCHEMA ${copied} CASCADE`);
    return cpu;
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  async #cpuByBackend(): Promise<Map<number, number>> {
    const sql = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'";
    const { rows } = await this.#client.query<{ pid: number }>(sql);
    return new Map(rows.map(({ pid }) => [pid, cpuOf(pid)]));
  }
}
