import type { Dialect } from "../engine/database.ts";

/** Which transactions of a block have transfers, and how many: a row for each block that has some. */
export const transferPlaces = ({ integer, bytes }: Dialect): string[] => [
  `CREATE TABLE transfer_place (block ${integer} PRIMARY KEY, body ${bytes} NOT NULL)`,
];
