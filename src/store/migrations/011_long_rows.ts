import type { Dialect } from "../engine/database.ts";

/**
 * What is too long for the row of a transaction: parts by their number, logs in chunks by the place of their first. And
 * how many logs of a block are in no list, as it has more than there are positions.
 */
export const longRows = ({ integer, bytes, clustered }: Dialect): string[] => [
  `CREATE TABLE tx_part (position ${integer} NOT NULL, part ${integer} NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (position, part)) ${clustered}`,
  `CREATE TABLE log_chunk (position ${integer} NOT NULL, first ${integer} NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (position, first)) ${clustered}`,
  `CREATE TABLE unlisted_log (block ${integer} PRIMARY KEY, count ${integer} NOT NULL)`,
];
