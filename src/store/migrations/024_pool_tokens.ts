import type { Dialect } from "../engine/database.ts";

/** What tokens without transfers say to pools, and the exchange whose code a factory has: all pools are asked again. */
export const poolTokens = ({ bytes }: Dialect): string[] => [
  `ALTER TABLE pool_observation ADD COLUMN tokens ${bytes}`,
  "ALTER TABLE pool_observation ADD COLUMN exchange TEXT",
  "DELETE FROM pool_due",
  "INSERT INTO pool_due (pool, block) SELECT id, 0 FROM pool",
];
