import { coreSchema } from "./core.ts";
import { exchangeSchema } from "./exchange.ts";
import type { Migration } from "./migrate.ts";
import { nativeBalanceSchema } from "./nativeBalances.ts";
import { tokenSchema } from "./tokens.ts";
import { traceSchema } from "./traces.ts";

const SCHEMAS = [coreSchema, tokenSchema, exchangeSchema, traceSchema, nativeBalanceSchema];

/** In order of release. Released migrations are never edited. */
export const MIGRATIONS: readonly Migration[] = [
  { statements: (dialect) => SCHEMAS.flatMap((schema) => schema(dialect)) },
];

export const SCHEMA_VERSION = MIGRATIONS.length;
