import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { OpenApiDocument } from "../../src/api/openapi/document.ts";
import { serveChain } from "../../test/support/api.ts";
import { handleFor } from "../../test/support/portNode.ts";
import { writeAmounts } from "./amounts.ts";
import { writePaths, writeRecords } from "./types.ts";

const GENERATED = fileURLToPath(new URL("../src/generated/", import.meta.url));

/** The generated files of the client, by their paths. */
export function writeClient(document: OpenApiDocument): Readonly<Record<string, string>> {
  return {
    [join(GENERATED, "records.ts")]: writeRecords(document),
    [join(GENERATED, "paths.ts")]: writePaths(document),
    [join(GENERATED, "amounts.ts")]: writeAmounts(document),
  };
}

/** What the program serves with every interface. */
export async function readServedDocument(): Promise<OpenApiDocument> {
  const served = await serveChain({ seed: 1, rpc: (chain) => ({ handle: handleFor(chain) }) });
  try {
    return (await served.get("/openapi.json")).body as unknown as OpenApiDocument;
  } finally {
    await served.close();
  }
}
