import type { Dialect } from "../engine/database.ts";

/**
 * The traces stage: calls inside transactions, the lists over them, and what they created. Addresses have ids of their own,
 * as traces name ones that nothing else does. A block without such calls has no row.
 */
export const traces = ({ integer, bytes, clustered }: Dialect): string[] => [
  `CREATE TABLE trace_block (number ${integer} PRIMARY KEY, calls ${integer} NOT NULL, addresses ${integer} NOT NULL, untraced ${integer} NOT NULL, body ${bytes} NOT NULL, digest ${bytes} NOT NULL)`,
  "CREATE INDEX trace_block_calls ON trace_block (calls)",
  `CREATE TABLE trace_call (position ${integer} PRIMARY KEY, body ${bytes} NOT NULL)`,
  `CREATE TABLE trace_address (id ${integer} PRIMARY KEY, value ${bytes} NOT NULL)`,
  `CREATE TABLE trace_address_hash (prefix ${integer} NOT NULL, id ${integer} NOT NULL, PRIMARY KEY (prefix, id)) ${clustered}`,
  `CREATE TABLE trace_address_call_tail (owner ${integer} PRIMARY KEY, count ${integer} NOT NULL, body ${bytes} NOT NULL)`,
  `CREATE TABLE trace_address_call_run (owner ${integer} NOT NULL, ordinal ${integer} NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (owner, ordinal)) ${clustered}`,
  `CREATE TABLE trace_creation (address ${integer} NOT NULL, position ${integer} NOT NULL, PRIMARY KEY (address, position)) ${clustered}`,
];
