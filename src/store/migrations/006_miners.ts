import type { Dialect } from "../engine/database.ts";

/** The blocks that each miner made. Miners have ids of their own: those of addresses tell of transactions and logs. */
export const miners = ({ integer, bytes, clustered }: Dialect): string[] => [
  `CREATE TABLE miner (id ${integer} PRIMARY KEY, value ${bytes} NOT NULL)`,
  `CREATE TABLE miner_hash (prefix ${integer} NOT NULL, id ${integer} NOT NULL, PRIMARY KEY (prefix, id)) ${clustered}`,
  `CREATE TABLE miner_block_tail (owner ${integer} PRIMARY KEY, count ${integer} NOT NULL, body ${bytes} NOT NULL)`,
  `CREATE TABLE miner_block_run (owner ${integer} NOT NULL, ordinal ${integer} NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (owner, ordinal)) ${clustered}`,
];
