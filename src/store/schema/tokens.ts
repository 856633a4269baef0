import type { Dialect } from "../engine/database.ts";
import { dictionaryTables, listTables } from "./tableKinds.ts";

/** Tokens stage: transfers and their lists, balances, holders by value, and observations. */
export const tokenSchema = (dialect: Dialect): string[] => [
  ...ledgerTables(dialect),
  ...holdingTables(dialect),
  ...observationTables(dialect),
];

function ledgerTables(dialect: Dialect): string[] {
  const { integer, bytes, clustered, updated } = dialect;
  return [
    `CREATE TABLE token_block (number ${integer} PRIMARY KEY, totals ${bytes} NOT NULL, digest ${bytes} NOT NULL)`,
    `CREATE TABLE transfer (position ${integer} PRIMARY KEY, body ${bytes} NOT NULL)`,
    // Transfers per transaction, one row per block.
    `CREATE TABLE transfer_count (block ${integer} PRIMARY KEY, body ${bytes} NOT NULL)`,
    // Transfers dropped from blocks with too many, with running sums.
    `CREATE TABLE omitted_transfer (block ${integer} PRIMARY KEY, transfers ${integer} NOT NULL, tokens ${integer} NOT NULL, busiest ${bytes} NOT NULL, all_blocks ${integer} NOT NULL, all_transfers ${integer} NOT NULL)`,
    ...dictionaryTables(dialect, "item"),
    ...["token_transfer", "address_transfer", "token_item", "item_transfer"].flatMap((list) =>
      listTables(dialect, list),
    ),
    `CREATE TABLE token (id ${integer} PRIMARY KEY, value ${bytes} NOT NULL)${updated}`,
    // Tokens by holders: overall and per standard.
    `CREATE TABLE token_rank (list ${integer} NOT NULL, rank ${integer} NOT NULL, token ${integer} NOT NULL, PRIMARY KEY (list, rank, token)) ${clustered}`,
    `CREATE TABLE token_rank_count (list ${integer} PRIMARY KEY, tokens ${integer} NOT NULL)`,
    // Contracts with only deposits, and those recognized as wrapped coins.
    `CREATE TABLE wrapper (id ${integer} PRIMARY KEY, value ${bytes} NOT NULL)${updated}`,
    `CREATE TABLE wrapped_coin (token ${integer} PRIMARY KEY)`,
  ];
}

function holdingTables({ integer, bytes, clustered, updated }: Dialect): string[] {
  return [
    ...["holding", "item_holding"].flatMap((table) => [
      `CREATE TABLE ${table} (address ${integer} NOT NULL, asset ${integer} NOT NULL, value ${bytes} NOT NULL, PRIMARY KEY (address, asset)) ${clustered}`,
      `CREATE TABLE ${table}_journal (block ${integer} NOT NULL, address ${integer} NOT NULL, asset ${integer} NOT NULL, before ${bytes}, PRIMARY KEY (block, address, asset)) ${clustered}`,
    ]),
    `CREATE TABLE holding_run (address ${integer} NOT NULL, asset ${integer} NOT NULL, ordinal ${integer} NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (address, asset, ordinal)) ${clustered}`,
    `CREATE TABLE holder (token ${integer} NOT NULL, amount ${bytes} NOT NULL, address ${integer} NOT NULL, PRIMARY KEY (token, amount, address)) ${clustered}`,
    // ERC-1155 holders by amount, and their number.
    `CREATE TABLE item_holder (token ${integer} NOT NULL, amount ${bytes} NOT NULL, item ${integer} NOT NULL, address ${integer} NOT NULL, PRIMARY KEY (token, amount, item, address)) ${clustered}`,
    "CREATE INDEX item_holder_item ON item_holder (item, amount, address)",
    `CREATE TABLE item_holder_count (list ${integer} NOT NULL, owner ${integer} NOT NULL, holders ${integer} NOT NULL, PRIMARY KEY (list, owner)) ${clustered}${updated}`,
    // Assets of addresses with many holdings, and their counts.
    `CREATE TABLE asset (address ${integer} NOT NULL, list ${integer} NOT NULL, asset ${integer} NOT NULL, PRIMARY KEY (address, list, asset)) ${clustered}`,
    `CREATE TABLE asset_count (id ${integer} PRIMARY KEY, value ${bytes} NOT NULL)${updated}`,
  ];
}

function observationTables({ integer, bytes, text, clustered }: Dialect): string[] {
  return [
    `CREATE TABLE token_observation (token ${integer} PRIMARY KEY, block ${integer} NOT NULL, hash ${bytes} NOT NULL, name ${text}, name_raw ${bytes} NOT NULL, symbol ${text}, symbol_raw ${bytes} NOT NULL, decimals ${integer}, supply ${bytes}, ledger_supply ${bytes}, ledger ${text} NOT NULL, differing ${bytes} NOT NULL, failures ${integer} NOT NULL, again ${integer} NOT NULL)`,
    "CREATE INDEX token_observation_block ON token_observation (block)",
    // Tokens to observe from a block on.
    `CREATE TABLE token_due (token ${integer} PRIMARY KEY, block ${integer} NOT NULL)`,
    "CREATE INDEX token_due_block ON token_due (block, token)",
    // Search index: every suffix of normalized names and symbols, as UTF-8.
    `CREATE TABLE token_name (place ${integer} NOT NULL, text ${bytes} NOT NULL, token ${integer} NOT NULL, PRIMARY KEY (place, text, token)) ${clustered}`,
  ];
}
