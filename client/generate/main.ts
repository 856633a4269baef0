import { writeFileSync } from "node:fs";
import { readServedDocument, writeClient } from "./writeClient.ts";

for (const [path, text] of Object.entries(writeClient(await readServedDocument()))) writeFileSync(path, text);
