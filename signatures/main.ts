import { writeFileSync } from "node:fs";
import { collectSignatures, sourceOf } from "./collect.ts";

/** `npm run signatures`: writes the table of well-known signatures anew. */
const collection = collectSignatures();
writeFileSync(new URL("../src/chain/abi/knownSignatures.ts", import.meta.url), sourceOf(collection));
for (const [kind, lines] of Object.entries(collection)) console.log(`${kind}: ${(lines as string[]).length}`);
