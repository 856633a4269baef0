import type { Dialect } from "../engine/database.ts";

/** The transactions that name a blob, by a prefix of its versioned hash. */
export const blobs = ({ integer, clustered }: Dialect): string[] => [
  `CREATE TABLE blob (prefix ${integer} NOT NULL, position ${integer} NOT NULL, PRIMARY KEY (prefix, position)) ${clustered}`,
];
