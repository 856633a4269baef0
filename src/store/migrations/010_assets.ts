import type { Dialect } from "../engine/database.ts";

/** What the tokens stage made of the logs before it told wrapped coins from others, and what was observed by it. */
const DERIVED = [
  ...["token_block", "transfer", "transfer_place", "item", "item_hash", "token", "token_rank", "token_rank_count"],
  ...["token_transfer", "address_transfer", "token_item"].flatMap((list) => [`${list}_tail`, `${list}_run`]),
  ...["holding", "holding_journal", "holding_run", "item_holding", "item_holding_journal", "holder"],
  ...["token_observation", "token_due", "token_name"],
];

/**
 * What addresses have, by key and counted; contracts that only took deposits, and those of them that are wrapped coins.
 * Logs mean something else from now on: the tokens stage is emptied, and derived again from the rows of the core.
 */
export const assets = ({ integer, bytes, clustered }: Dialect): string[] => [
  `CREATE TABLE asset (address ${integer} NOT NULL, list ${integer} NOT NULL, asset ${integer} NOT NULL, PRIMARY KEY (address, list, asset)) ${clustered}`,
  `CREATE TABLE asset_count (id ${integer} PRIMARY KEY, value ${bytes} NOT NULL)`,
  `CREATE TABLE wrapper (id ${integer} PRIMARY KEY, value ${bytes} NOT NULL)`,
  `CREATE TABLE wrapped_coin (token ${integer} PRIMARY KEY)`,
  ...DERIVED.map((table) => `DELETE FROM ${table}`),
  "DELETE FROM journal WHERE source = 'token'",
  "DELETE FROM stage WHERE name = 'tokens'",
];
