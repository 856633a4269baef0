import { readFileSync, writeFileSync } from "node:fs";
import { API_DOCUMENTS, rewriteApiTables } from "./apiTables.ts";

/** Writes the tables of the documents that follow from the schemas of the API. */
for (const path of API_DOCUMENTS) writeFileSync(path, rewriteApiTables(readFileSync(path, "utf8")));
