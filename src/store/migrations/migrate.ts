import { ChainError } from "../../chain/error.ts";
import type { Database, Dialect } from "../engine/database.ts";
import { divideRows } from "../rows/longRows.ts";
import { listAssets } from "../tokens/assets/assetLists.ts";
import { fillItems } from "../tokens/fillItems.ts";
import { fillTransferCounts } from "../tokens/ledger/transferCounts.ts";
import { fillTokenNames } from "../tokens/observe/tokenNames.ts";
import { fillTokenRanks } from "../tokens/ranks/tokenRanking.ts";
import { fillBlobs } from "../write/blobs.ts";
import { fillBlockTimes } from "../write/blockTimes.ts";
import { fillCalled } from "../write/fillCalled.ts";
import { fillLogLists } from "../write/logLists.ts";
import { fillMiners } from "../write/miners.ts";
import { core } from "./001_core.ts";
import { tokens } from "./002_tokens.ts";
import { observations } from "./003_observations.ts";
import { tokenNames } from "./004_token_names.ts";
import { blobs } from "./005_blobs.ts";
import { miners } from "./006_miners.ts";
import { tokenRanks } from "./007_token_ranks.ts";
import { transferPlaces } from "./008_transfer_places.ts";
import { observedSupplies } from "./009_observed_supplies.ts";
import { assets } from "./010_assets.ts";
import { longRows } from "./011_long_rows.ts";
import { blockTimes } from "./012_block_times.ts";
import { omittedTransfers } from "./013_omitted_transfers.ts";
import { listedAssets } from "./014_listed_assets.ts";
import { logLists } from "./015_log_lists.ts";
import { contractPositions } from "./016_contract_positions.ts";
import { exchange } from "./017_exchange.ts";
import { poolObservations } from "./018_pool_observations.ts";
import { traces } from "./019_traces.ts";
import { items } from "./020_items.ts";
import { blobPositions } from "./021_blob_positions.ts";
import { called } from "./022_called.ts";
import { nativeBalances } from "./023_native_balances.ts";
import { poolTokens } from "./024_pool_tokens.ts";
import { accountOrder, removeAccountIds } from "./025_account_order.ts";

export interface Migration {
  readonly statements: (dialect: Dialect) => string[];
  /** Derives the rows of new tables from those that are there. */
  readonly fill?: (database: Database) => Promise<void>;
}

/** In order of release. A migration is never edited once released; a change is a new one. */
export const MIGRATIONS: readonly Migration[] = [
  { statements: core },
  { statements: tokens },
  { statements: observations },
  { statements: tokenNames, fill: fillTokenNames },
  { statements: blobs, fill: fillBlobs },
  { statements: miners, fill: fillMiners },
  { statements: tokenRanks, fill: fillTokenRanks },
  { statements: transferPlaces, fill: fillTransferCounts },
  { statements: observedSupplies },
  { statements: assets },
  { statements: longRows, fill: divideRows },
  { statements: blockTimes, fill: fillBlockTimes },
  { statements: omittedTransfers },
  { statements: listedAssets, fill: listAssets },
  { statements: logLists, fill: fillLogLists },
  { statements: contractPositions },
  { statements: exchange },
  { statements: poolObservations },
  { statements: traces },
  { statements: items, fill: fillItems },
  { statements: blobPositions },
  { statements: called, fill: fillCalled },
  { statements: nativeBalances },
  { statements: poolTokens },
  { statements: accountOrder, fill: removeAccountIds },
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** Brings the database to this program's schema, or says why it cannot. */
export async function migrate(database: Database, migrations = MIGRATIONS): Promise<void> {
  const newest = migrations.length;
  if ((await schemaVersion(database, newest)) === newest) return;
  await database.transaction(async () => {
    // Where several processes write, another may have been faster.
    const found = await schemaVersion(database, newest);
    for (const { statements, fill } of migrations.slice(found)) {
      for (const statement of statements(database.dialect)) await database.run(statement);
      await fill?.(database);
    }
    await database.upsert("meta", ["name", "value"], [["schema", String(newest)]]);
  });
}

/** The schema of an existing database: 0 if it is empty. Refuses one this program does not know. */
export async function schemaVersion(database: Database, newest = SCHEMA_VERSION): Promise<number> {
  const tables = await database.tables();
  if (tables.length === 0) return 0;
  const [row] = tables.includes("meta") ? await database.all("SELECT value FROM meta WHERE name = 'schema'") : [];
  const version = Number(row?.[0]);
  if (!Number.isInteger(version)) throw new ChainError("store_corrupt", "the database is not one of ours");
  if (version <= newest) return version;
  throw new ChainError(
    "store_newer",
    `the database has schema ${version}, this program knows ${newest}; use a newer oriel or another data directory`,
  );
}
