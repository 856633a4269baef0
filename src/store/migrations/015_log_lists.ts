import type { Dialect } from "../engine/database.ts";

/** The logs of each event signature, and how often each signature is in the list of an address. */
export const logLists = ({ integer, bytes, clustered }: Dialect): string[] => [
  `CREATE TABLE signature_log_tail (owner ${integer} PRIMARY KEY, count ${integer} NOT NULL, body ${bytes} NOT NULL)`,
  `CREATE TABLE signature_log_run (owner ${integer} NOT NULL, ordinal ${integer} NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (owner, ordinal)) ${clustered}`,
  `CREATE TABLE address_log_count (owner ${integer} NOT NULL, level ${integer} NOT NULL, node ${integer} NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (owner, level, node)) ${clustered}`,
];
