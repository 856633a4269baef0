import type { Dialect } from "../engine/database.ts";

/** What a node said of pools, and the pools that are to be asked about from a block on. */
export const poolObservations = ({ integer, bytes }: Dialect): string[] => [
  `CREATE TABLE pool_observation (pool ${integer} PRIMARY KEY, block ${integer} NOT NULL, hash ${bytes} NOT NULL, factory ${bytes}, difference0 ${bytes} NOT NULL, difference1 ${bytes} NOT NULL, failures ${integer} NOT NULL, again ${integer} NOT NULL)`,
  "CREATE INDEX pool_observation_block ON pool_observation (block)",
  `CREATE TABLE pool_due (pool ${integer} PRIMARY KEY, block ${integer} NOT NULL)`,
  "CREATE INDEX pool_due_block ON pool_due (block, pool)",
];
