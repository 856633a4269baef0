import type { Dialect } from "../engine/database.ts";

/** What token names and symbols are found by: their normalised text from every place in them on, as UTF-8. */
export const tokenNames = ({ integer, bytes, clustered }: Dialect): string[] => [
  `CREATE TABLE token_name (place ${integer} NOT NULL, text ${bytes} NOT NULL, token ${integer} NOT NULL, PRIMARY KEY (place, text, token)) ${clustered}`,
];
