import type { Dialect } from "../engine/engine.ts";

const STAGE = [
  ...["token_block", "transfer", "token", "balance", "item_balance", "holder"],
  ...["holding", "item", "item_holding"].flatMap((table) => [table, `${table}_hash`]),
  ...["token_transfer", "address_transfer", "holding_transfer", "address_holding", "token_item"].flatMap((list) => [
    `${list}_tail`,
    `${list}_run`,
  ]),
];

/**
 * What a node said of tokens, and the tokens that are to be asked about from a block on. Rows of tokens count debtors from
 * now on, so the tokens stage is emptied: the indexer derives it again from the stored blocks.
 */
export const observations = ({ integer, bytes }: Dialect): string[] => [
  `CREATE TABLE token_observation (token ${integer} PRIMARY KEY, block ${integer} NOT NULL, hash ${bytes} NOT NULL, name TEXT, name_raw ${bytes} NOT NULL, symbol TEXT, symbol_raw ${bytes} NOT NULL, decimals ${integer}, supply ${bytes}, ledger TEXT NOT NULL, differing ${bytes} NOT NULL, failures ${integer} NOT NULL, again ${integer} NOT NULL)`,
  "CREATE INDEX token_observation_block ON token_observation (block)",
  `CREATE TABLE token_due (token ${integer} PRIMARY KEY, block ${integer} NOT NULL)`,
  "CREATE INDEX token_due_block ON token_due (block, token)",
  ...STAGE.map((table) => `DELETE FROM ${table}`),
  "DELETE FROM journal WHERE source IN ('token', 'balance', 'item_balance')",
  "DELETE FROM stage WHERE name = 'tokens'",
];
