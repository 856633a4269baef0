import type { Dialect } from "../engine/engine.ts";
import type { Migration } from "../migrations/migrate.ts";

/**
 * What compilers made of contracts, and every signature among them with the newest contract that has it. Code is found
 * by its length without metadata and the holes that code of this length has, then by its keys under those.
 */
const artifacts = ({ integer, bytes, clustered }: Dialect): string[] => [
  `CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) ${clustered}`,
  `CREATE TABLE artifact (id ${integer} PRIMARY KEY, digest ${bytes} NOT NULL UNIQUE, name TEXT NOT NULL, path TEXT NOT NULL, imported ${integer} NOT NULL, functions ${integer} NOT NULL, events ${integer} NOT NULL, length ${integer}, pattern TEXT, fit ${bytes}, exact ${bytes}, code ${bytes}, abi TEXT NOT NULL)`,
  "CREATE INDEX artifact_name ON artifact (name, path, id)",
  "CREATE INDEX artifact_pattern ON artifact (length, pattern)",
  "CREATE INDEX artifact_fit ON artifact (fit)",
  "CREATE INDEX artifact_exact ON artifact (exact)",
  `CREATE TABLE signature (kind ${integer} NOT NULL, id ${bytes} NOT NULL, text TEXT NOT NULL, artifact ${integer} NOT NULL, PRIMARY KEY (kind, id, text)) ${clustered}`,
  "CREATE INDEX signature_newest ON signature (artifact, kind, id, text)",
];

/** In order of release. A migration is never edited once released; a change is a new one. */
export const CONTRACT_MIGRATIONS: readonly Migration[] = [{ statements: artifacts }];
