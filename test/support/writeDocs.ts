import { readFileSync, writeFileSync } from "node:fs";
import { API_DOCUMENTS, rewriteApiTables } from "./apiTables.ts";

for (const path of API_DOCUMENTS) writeFileSync(path, rewriteApiTables(readFileSync(path, "utf8")));
