import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { defined } from "../std/values.ts";

const manifest = defined(findPackageJSON(import.meta.url));

export const VERSION: string = (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
