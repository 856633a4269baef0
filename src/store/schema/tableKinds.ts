import type { Dialect } from "../engine/database.ts";

/** Values by id, and ids by a keyed hash of their value. */
export function dictionaryTables({ integer, bytes, clustered }: Dialect, name: string): string[] {
  return [
    `CREATE TABLE ${name} (id ${integer} PRIMARY KEY, value ${bytes} NOT NULL)`,
    `CREATE TABLE ${name}_hash (prefix ${integer} NOT NULL, id ${integer} NOT NULL, PRIMARY KEY (prefix, id)) ${clustered}`,
  ];
}

/** Positions by owner and ordinal: sealed runs, and the growing tail. */
export function listTables({ integer, bytes, clustered }: Dialect, name: string): string[] {
  return [
    `CREATE TABLE ${name}_tail (owner ${integer} PRIMARY KEY, count ${integer} NOT NULL, body ${bytes} NOT NULL)`,
    `CREATE TABLE ${name}_run (owner ${integer} NOT NULL, ordinal ${integer} NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (owner, ordinal)) ${clustered}`,
  ];
}
