import type { Dialect } from "../engine/database.ts";

/** What was left out of blocks with too many transfers, and the sums of that up to and including each of them. */
export const omittedTransfers = ({ integer, bytes }: Dialect): string[] => [
  `CREATE TABLE omitted_transfer (block ${integer} PRIMARY KEY, transfers ${integer} NOT NULL, tokens ${integer} NOT NULL, busiest ${bytes} NOT NULL, all_blocks ${integer} NOT NULL, all_transfers ${integer} NOT NULL)`,
];
