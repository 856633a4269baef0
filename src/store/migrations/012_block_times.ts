import type { Dialect } from "../engine/database.ts";

/** Of blocks that say they were made before one below them: the latest time up to each. */
export const blockTimes = ({ integer }: Dialect): string[] => [
  `CREATE TABLE block_time (number ${integer} PRIMARY KEY, latest ${integer} NOT NULL)`,
];
