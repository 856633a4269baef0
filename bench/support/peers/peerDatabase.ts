import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { startPostgres } from "../../../test/support/postgresServer.ts";
import type { Balances } from "./balances.ts";
import { balanceKey } from "./balances.ts";

/** A PostgreSQL server for one peer. */
export interface PeerDatabase {
  readonly url: string;
  readonly pid: number;
  query<T extends object>(sql: string): Promise<T[]>;
  bytes(): Promise<number>;
  /** From a table of transfers and one of balances: token, holder, amount. */
  balances(transfers: string, balances: string): Promise<Balances>;
  stop(): Promise<void>;
}

export async function startPeerDatabase(): Promise<PeerDatabase> {
  const server = await startPostgres();
  const pool = new pg.Pool({ connectionString: server.url, max: 1 });
  const query = async <T extends object>(sql: string) => (await pool.query<T>(sql)).rows;
  const [shown] = await query<{ data_directory: string }>("SHOW data_directory");
  const pid = Number(readFileSync(join(shown!.data_directory, "postmaster.pid"), "utf8").split("\n")[0]);
  return {
    url: server.url,
    pid,
    query,
    bytes: async () => {
      await query("CHECKPOINT");
      const [size] = await query<{ bytes: string }>("SELECT pg_database_size(current_database()) AS bytes");
      return Number(size!.bytes);
    },
    balances: async (transfers, balances) => {
      const [counted] = await query<{ count: string }>(`SELECT count(*) FROM ${transfers}`);
      const rows = await query<{ token: string; holder: string; amount: string }>(
        `SELECT token, holder, amount::text FROM ${balances} WHERE amount <> 0`,
      );
      const amounts = rows.map((row) => [balanceKey(row.token, row.holder), BigInt(row.amount)] as const);
      return { amounts: new Map(amounts), transfers: Number(counted!.count) };
    },
    stop: async () => {
      await pool.end();
      await server.stop();
    },
  };
}
