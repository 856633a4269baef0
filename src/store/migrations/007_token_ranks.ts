import type { Dialect } from "../engine/database.ts";

/** Tokens by their holders, in a list of all and in one for each standard; how many each list has. */
export const tokenRanks = ({ integer, clustered }: Dialect): string[] => [
  `CREATE TABLE token_rank (list ${integer} NOT NULL, rank ${integer} NOT NULL, token ${integer} NOT NULL, PRIMARY KEY (list, rank, token)) ${clustered}`,
  `CREATE TABLE token_rank_count (list ${integer} PRIMARY KEY, tokens ${integer} NOT NULL)`,
];
