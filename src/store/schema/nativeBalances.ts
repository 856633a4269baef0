import type { Dialect } from "../engine/database.ts";

/** Native balances by value, counts by leading digits, and undo records per write. */
export const nativeBalanceSchema = ({ integer, bytes, clustered }: Dialect): string[] => [
  `CREATE TABLE native_balance (address ${bytes} PRIMARY KEY, balance ${bytes} NOT NULL) ${clustered}`,
  "CREATE INDEX native_balance_rank ON native_balance (balance, address)",
  `CREATE TABLE native_count (level ${integer} NOT NULL, digits ${integer} NOT NULL, accounts ${integer} NOT NULL, PRIMARY KEY (level, digits)) ${clustered}`,
  `CREATE TABLE native_change (block ${integer} NOT NULL, part ${integer} NOT NULL, accounts ${integer} NOT NULL, sum ${bytes} NOT NULL, backfilled ${integer} NOT NULL, before ${bytes} NOT NULL, PRIMARY KEY (block, part)) ${clustered}`,
];
