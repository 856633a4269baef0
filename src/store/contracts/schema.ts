import type { Dialect } from "../engine/database.ts";
import type { Migration } from "../schema/migrate.ts";

/**
 * Artifacts, and every signature with its newest contract. Code is found by its length without metadata and the open
 * ranges of that length, then by its keys under those.
 */
const artifacts = ({ integer, bytes, text, clustered }: Dialect): string[] => [
  `CREATE TABLE meta (name ${text} PRIMARY KEY, value ${text} NOT NULL) ${clustered}`,
  `CREATE TABLE artifact (id ${integer} PRIMARY KEY, digest ${bytes} NOT NULL UNIQUE, name ${text} NOT NULL, path ${text} NOT NULL, imported ${integer} NOT NULL, functions ${integer} NOT NULL, events ${integer} NOT NULL, length ${integer}, pattern ${text}, fit ${bytes}, exact ${bytes}, code ${bytes}, abi ${text} NOT NULL)`,
  "CREATE INDEX artifact_name ON artifact (name, path, id)",
  "CREATE INDEX artifact_pattern ON artifact (length, pattern)",
  "CREATE INDEX artifact_fit ON artifact (fit)",
  "CREATE INDEX artifact_exact ON artifact (exact)",
  `CREATE TABLE signature (kind ${integer} NOT NULL, id ${bytes} NOT NULL, text ${text} NOT NULL, artifact ${integer} NOT NULL, PRIMARY KEY (kind, id, text)) ${clustered}`,
  "CREATE INDEX signature_newest ON signature (artifact, kind, id, text)",
];

/** Verified sources by hash of deployed code, and verification jobs in order of arrival. */
const sources = ({ integer, bytes, text }: Dialect): string[] => [
  `CREATE TABLE source (id ${integer} PRIMARY KEY, artifact ${integer} NOT NULL, code_hash ${bytes} NOT NULL, address ${bytes} NOT NULL, name ${text} NOT NULL, compiler ${text} NOT NULL, optimized ${integer} NOT NULL, license ${text} NOT NULL, verified ${integer} NOT NULL, match ${integer} NOT NULL, language ${text} NOT NULL, record ${bytes} NOT NULL)`,
  "CREATE INDEX source_code ON source (code_hash)",
  "CREATE INDEX source_address ON source (address)",
  "CREATE INDEX source_artifact ON source (artifact)",
  `CREATE TABLE verification (number ${integer} PRIMARY KEY, guid ${text} NOT NULL UNIQUE, address ${bytes} NOT NULL, client ${text} NOT NULL, submitted ${integer} NOT NULL, state ${integer} NOT NULL, reason ${text} NOT NULL, request ${bytes} NOT NULL)`,
  "CREATE INDEX verification_address ON verification (address)",
  "CREATE INDEX verification_state ON verification (state)",
];

/** Milliseconds until when a process has a verification job to itself. */
const claims = ({ integer }: Dialect): string[] => [
  `ALTER TABLE verification ADD COLUMN claimed ${integer} NOT NULL DEFAULT 0`,
];

const labels = ({ bytes, text, clustered }: Dialect): string[] => [
  `CREATE TABLE label (address ${bytes} PRIMARY KEY, text ${text} NOT NULL) ${clustered}`,
];

/** In order of release. Released migrations are never edited. */
export const CONTRACT_MIGRATIONS: readonly Migration[] = [
  { statements: (dialect) => [...artifacts(dialect), ...sources(dialect)] },
  { statements: claims },
  { statements: labels },
];
