import { ChainError } from "../../../chain/error.ts";
import type { PostgresConnection } from "./postgresConnection.ts";

/** Encodings that store what is sent as it is. */
const ENCODINGS = ["UTF8", "SQL_ASCII"];

/** Refuses a database whose settings transactions cannot change. Returns whether it is a replica. */
export async function expectUsable(connection: PostgresConnection, place: string): Promise<boolean> {
  const sql = `SELECT pg_is_in_recovery(), current_setting('server_encoding'),
    (SELECT setting::bigint FROM pg_settings WHERE name = 'transaction_timeout')`;
  const rows = await connection.all<[isReplica: number, encoding: string, timeout: number | null]>(sql, []);
  const [isReplica, encoding, timeout] = rows[0] ?? [0, "", null];
  if (!ENCODINGS.includes(encoding)) {
    throw new ChainError("unsupported", `${place} has the encoding ${encoding}: create it with ENCODING 'UTF8'`);
  }
  if (timeout !== null && timeout > 0) {
    throw new ChainError("unsupported", `${place} has a transaction_timeout, which would end commits: set it to 0`);
  }
  return isReplica === 1;
}
