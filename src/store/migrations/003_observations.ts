import type { Dialect } from "../engine/database.ts";

/** What a node said of tokens, and the tokens that are to be asked about from a block on. */
export const observations = ({ integer, bytes }: Dialect): string[] => [
  `CREATE TABLE token_observation (token ${integer} PRIMARY KEY, block ${integer} NOT NULL, hash ${bytes} NOT NULL, name TEXT, name_raw ${bytes} NOT NULL, symbol TEXT, symbol_raw ${bytes} NOT NULL, decimals ${integer}, supply ${bytes}, ledger TEXT NOT NULL, differing ${bytes} NOT NULL, failures ${integer} NOT NULL, again ${integer} NOT NULL)`,
  "CREATE INDEX token_observation_block ON token_observation (block)",
  `CREATE TABLE token_due (token ${integer} PRIMARY KEY, block ${integer} NOT NULL)`,
  "CREATE INDEX token_due_block ON token_due (block, token)",
];
