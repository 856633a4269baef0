import type { Dialect } from "../engine/database.ts";

/** Values by 52-bit key: the newest as rows, the others packed in runs. */
export function keyTables(
  { integer, bytes, clustered, updated }: Dialect,
  name: string,
  hasFingerprints = false,
): string[] {
  const fingerprint = hasFingerprints ? ` fingerprint ${integer} NOT NULL,` : "";
  return [
    `CREATE TABLE ${name} (prefix ${integer} NOT NULL, value ${integer} NOT NULL,${fingerprint} PRIMARY KEY (prefix, value)) ${clustered}`,
    `CREATE TABLE ${name}_run (first ${integer} PRIMARY KEY, level ${integer} NOT NULL, width ${integer} NOT NULL, low ${integer} NOT NULL, high ${integer} NOT NULL, lowest ${integer} NOT NULL, highest ${integer} NOT NULL, entries ${integer} NOT NULL, target ${integer}, nonce ${integer} NOT NULL)${updated}`,
    `CREATE TABLE ${name}_body (id ${integer} PRIMARY KEY, body ${bytes} NOT NULL)`,
  ];
}

/** Values by id, and ids by a keyed hash of their value. */
export function dictionaryTables(dialect: Dialect, name: string): string[] {
  const { integer, bytes } = dialect;
  return [
    `CREATE TABLE ${name} (id ${integer} PRIMARY KEY, value ${bytes} NOT NULL)`,
    ...keyTables(dialect, `${name}_hash`, true),
  ];
}

/** Positions by owner and ordinal: sealed runs, and the growing tail with counters of the owner, empty if it has none. */
export function listTables(
  { integer, bytes, clustered, updated }: Dialect,
  name: string,
  counters: string[] = [],
): string[] {
  const others = counters.map((column) => `, ${column} ${bytes} NOT NULL`).join("");
  return [
    `CREATE TABLE ${name}_tail (owner ${integer} PRIMARY KEY, count ${integer} NOT NULL, body ${bytes} NOT NULL${others})${updated}`,
    `CREATE TABLE ${name}_run (owner ${integer} NOT NULL, ordinal ${integer} NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (owner, ordinal)) ${clustered}`,
  ];
}
