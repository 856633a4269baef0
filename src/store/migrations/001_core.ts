import type { Dialect } from "../engine/database.ts";

/** The core stage: blocks, transactions with their receipts and logs, addresses, and the lists over them. */
export const core = ({ integer, bytes, clustered }: Dialect): string[] => [
  `CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) ${clustered}`,
  `CREATE TABLE stage (name TEXT PRIMARY KEY, version ${integer} NOT NULL, block ${integer} NOT NULL, digest ${bytes} NOT NULL) ${clustered}`,

  `CREATE TABLE block (number ${integer} PRIMARY KEY, body ${bytes} NOT NULL, totals ${bytes} NOT NULL, digest ${bytes} NOT NULL)`,
  `CREATE TABLE block_hash (prefix ${integer} NOT NULL, number ${integer} NOT NULL, PRIMARY KEY (prefix, number)) ${clustered}`,
  `CREATE TABLE tx (position ${integer} PRIMARY KEY, body ${bytes} NOT NULL)`,
  `CREATE TABLE tx_hash (prefix ${integer} NOT NULL, position ${integer} NOT NULL, PRIMARY KEY (prefix, position)) ${clustered}`,

  `CREATE TABLE address (id ${integer} PRIMARY KEY, value ${bytes} NOT NULL)`,
  `CREATE TABLE address_hash (prefix ${integer} NOT NULL, id ${integer} NOT NULL, PRIMARY KEY (prefix, id)) ${clustered}`,
  `CREATE TABLE signature (id ${integer} PRIMARY KEY, value ${bytes} NOT NULL)`,
  `CREATE TABLE signature_hash (prefix ${integer} NOT NULL, id ${integer} NOT NULL, PRIMARY KEY (prefix, id)) ${clustered}`,

  `CREATE TABLE address_tx_tail (owner ${integer} PRIMARY KEY, count ${integer} NOT NULL, body ${bytes} NOT NULL)`,
  `CREATE TABLE address_tx_run (owner ${integer} NOT NULL, ordinal ${integer} NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (owner, ordinal)) ${clustered}`,
  `CREATE TABLE address_log_tail (owner ${integer} PRIMARY KEY, count ${integer} NOT NULL, body ${bytes} NOT NULL)`,
  `CREATE TABLE address_log_run (owner ${integer} NOT NULL, ordinal ${integer} NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (owner, ordinal)) ${clustered}`,

  `CREATE TABLE contract (address ${integer} NOT NULL, position ${integer} NOT NULL, PRIMARY KEY (address, position)) ${clustered}`,
  `CREATE TABLE account (id ${integer} PRIMARY KEY, value ${bytes} NOT NULL)`,
  `CREATE TABLE journal (block ${integer} NOT NULL, source TEXT NOT NULL, id ${integer} NOT NULL, before ${bytes}, PRIMARY KEY (block, source, id)) ${clustered}`,
];
