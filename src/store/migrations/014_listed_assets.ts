import type { Dialect } from "../engine/database.ts";

/** Assets are listed only of addresses with many holdings, which say themselves what is more than nothing. */
export const listedAssets = (_: Dialect): string[] => [
  "DELETE FROM asset",
  "DELETE FROM asset_count",
  "ALTER TABLE holding DROP COLUMN held",
  "ALTER TABLE item_holding DROP COLUMN held",
];
