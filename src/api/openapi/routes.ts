import type { FastifyInstance } from "fastify";
import { serveRead } from "../http.ts";
import type { AppSettings } from "../settings.ts";
import { openApiDocument } from "./document.ts";
import type { Operation } from "./operation.ts";

/** The paths that describe all others. */
export const DOCUMENT_PATHS = { openapi: "/openapi.json" } as const;

/** Says what can be asked of this network, for programs and for people. */
export function documentRoutes(app: FastifyInstance, operations: readonly Operation[], settings: AppSettings): void {
  const document = openApiDocument(operations, infoOf(settings));
  const json = JSON.stringify(document);
  serveRead(app, DOCUMENT_PATHS.openapi, (_, reply) => reply.type("application/json; charset=utf-8").send(json));
}

function infoOf({ chainName, chainId, version }: AppSettings) {
  return {
    title: `${chainName} (chain ${chainId})`,
    version,
    description:
      "What Oriel serves of this network. Amounts are decimal strings in wei, times are ISO 8601 in UTC. Every answer has an `ETag`, and any origin may read it.",
  };
}
