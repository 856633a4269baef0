import type { Dialect } from "../engine/database.ts";
import { dictionaryTables, listTables } from "./tableKinds.ts";

/**
 * Traces stage: internal calls, their lists, and contracts they created. Has its own address dictionary, since traces
 * name addresses nothing else does. A block without such calls has no row.
 */
export const traceSchema = (dialect: Dialect): string[] => {
  const { integer, bytes, clustered } = dialect;
  return [
    `CREATE TABLE trace_block (number ${integer} PRIMARY KEY, calls ${integer} NOT NULL, addresses ${integer} NOT NULL, untraced ${integer} NOT NULL, body ${bytes} NOT NULL, digest ${bytes} NOT NULL)`,
    "CREATE INDEX trace_block_calls ON trace_block (calls)",
    `CREATE TABLE trace_call (position ${integer} PRIMARY KEY, body ${bytes} NOT NULL)`,
    ...dictionaryTables(dialect, "trace_address"),
    ...listTables(dialect, "trace_address_call"),
    `CREATE TABLE trace_creation (address ${integer} NOT NULL, position ${integer} NOT NULL, PRIMARY KEY (address, position)) ${clustered}`,
  ];
};
