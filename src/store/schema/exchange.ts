import type { Dialect } from "../engine/database.ts";

/**
 * Exchange stage. Append-only, so an unwind deletes rows: states of pools and positions after each block that changed
 * them, and reported pool creations. `pool.address` is the key of a pool: an address, or that of its manager and its id.
 */
export const exchangeSchema = ({ integer, bytes, text, clustered }: Dialect): string[] => [
  `CREATE TABLE exchange_block (number ${integer} PRIMARY KEY, events ${integer} NOT NULL, pools ${integer} NOT NULL, body ${bytes} NOT NULL, digest ${bytes} NOT NULL)`,
  `CREATE TABLE pool (id ${integer} PRIMARY KEY, address ${bytes} NOT NULL)`,
  "CREATE UNIQUE INDEX pool_address ON pool (address)",
  `CREATE TABLE pool_creation (pool ${integer} NOT NULL, factory ${bytes} NOT NULL, position ${integer} NOT NULL, type ${text} NOT NULL, token0 ${bytes} NOT NULL, token1 ${bytes} NOT NULL, fee ${integer}, tick_spacing ${integer}, hooks ${bytes}, PRIMARY KEY (pool, factory)) ${clustered}`,
  "CREATE INDEX pool_creation_position ON pool_creation (position)",
  `CREATE TABLE pool_state (pool ${integer} NOT NULL, block ${integer} NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (pool, block)) ${clustered}`,
  `CREATE TABLE position (id ${bytes} NOT NULL, block ${integer} NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (id, block)) ${clustered}`,
  `CREATE TABLE position_owner (owner ${bytes} NOT NULL, pool ${integer} NOT NULL, position ${bytes} NOT NULL, PRIMARY KEY (owner, pool, position)) ${clustered}`,
  // Node observations of pools and their tokens, and when pools are due.
  `CREATE TABLE pool_observation (pool ${integer} PRIMARY KEY, block ${integer} NOT NULL, hash ${bytes} NOT NULL, factory ${bytes}, exchange ${text}, tokens ${bytes}, difference0 ${bytes} NOT NULL, difference1 ${bytes} NOT NULL, failures ${integer} NOT NULL, again ${integer} NOT NULL)`,
  "CREATE INDEX pool_observation_block ON pool_observation (block)",
  `CREATE TABLE pool_due (pool ${integer} PRIMARY KEY, block ${integer} NOT NULL)`,
  "CREATE INDEX pool_due_block ON pool_due (block, pool)",
];
