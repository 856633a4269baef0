import type { Dialect } from "../engine/database.ts";

/**
 * What accounts have of the chain's coin, as the node said it, by value; how many begin with the same digits; and what each
 * write of them changed, with what there is after it.
 */
export const nativeBalanceSchema = ({ integer, bytes, clustered }: Dialect): string[] => [
  `CREATE TABLE native_balance (address ${bytes} PRIMARY KEY, balance ${bytes} NOT NULL) ${clustered}`,
  "CREATE INDEX native_balance_rank ON native_balance (balance, address)",
  `CREATE TABLE native_count (level ${integer} NOT NULL, digits ${integer} NOT NULL, accounts ${integer} NOT NULL, PRIMARY KEY (level, digits)) ${clustered}`,
  `CREATE TABLE native_change (block ${integer} NOT NULL, part ${integer} NOT NULL, accounts ${integer} NOT NULL, sum ${bytes} NOT NULL, filled ${integer} NOT NULL, before ${bytes} NOT NULL, PRIMARY KEY (block, part)) ${clustered}`,
];
