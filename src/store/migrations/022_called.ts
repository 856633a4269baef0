import type { Dialect } from "../engine/database.ts";

/** What was sent to addresses beside plain payments. */
export const called = ({ integer, bytes }: Dialect): string[] => [
  `CREATE TABLE called (id ${integer} PRIMARY KEY, value ${bytes} NOT NULL)`,
];
