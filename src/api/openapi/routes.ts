import { hash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { serveRead } from "../http/httpRules.ts";
import { COSTS } from "../http/rateLimit.ts";
import type { AppSettings } from "../settings.ts";
import type { OpenApiDocument } from "./document.ts";
import { openApiDocument } from "./document.ts";
import type { Operation } from "./operation.ts";
import type { Examples } from "./page.ts";
import { renderPage } from "./page.ts";
import { STYLE } from "./style.ts";

/** The web explorer serves the index where there is one. */
export const DOCUMENT_PATHS = { openapi: "/openapi.json", page: "/docs/api", index: "/docs" } as const;

/** The part of an interface that documents use. */
interface Described {
  readonly operations: readonly Operation[];
  readonly examples?: () => Promise<Examples>;
}

/** OpenAPI document and HTML page. */
export function documentRoutes(
  app: FastifyInstance,
  settings: AppSettings,
  interfaces: readonly Described[],
  others: readonly Operation[],
): void {
  const operations = [...interfaces.flatMap((each) => each.operations), ...others];
  // The document is kept as text, which takes a third of the memory.
  const json = JSON.stringify(openApiDocument(operations, infoOf(settings)));
  serveRead(app, DOCUMENT_PATHS.openapi, COSTS.free, (_, reply) =>
    reply.type("application/json; charset=utf-8").send(json),
  );
  const hasDocuments = settings.web !== undefined;
  if (!hasDocuments)
    serveRead(app, DOCUMENT_PATHS.index, COSTS.free, (_, reply) => reply.redirect(DOCUMENT_PATHS.page));
  const page = lastOf((examples: Examples) => renderPage(JSON.parse(json) as OpenApiDocument, examples, hasDocuments));
  const readExamples = joinExamples(interfaces);
  serveRead(app, DOCUMENT_PATHS.page, COSTS.free, async (_, reply) =>
    reply
      .type("text/html; charset=utf-8")
      .header("content-security-policy", POLICY)
      .send(page(await readExamples())),
  );
}

/** Identity is stable while all parts are unchanged. */
function joinExamples(interfaces: readonly Described[]): () => Promise<Examples> {
  let parts: readonly Examples[] = [];
  let joined: Examples = {};
  return async () => {
    const found = await Promise.all(interfaces.map(async ({ examples }) => (await examples?.()) ?? NO_EXAMPLES));
    if (found.length !== parts.length || found.some((each, at) => each !== parts[at])) {
      [parts, joined] = [found, Object.assign({}, ...found)];
    }
    return joined;
  };
}

const NO_EXAMPLES: Examples = {};

/** Allows only the page's own style. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash("sha256", STYLE, "base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Caches the result for the last key. */
function lastOf<K, V>(work: (key: K) => V): (key: K) => V {
  let last: { readonly key: K; readonly value: V } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, value: work(key) };
    return last.value;
  };
}

function infoOf({ chainName, chainId, version }: AppSettings) {
  return {
    title: `${chainName} (chain ${chainId})`,
    version,
    description:
      "The API of this network. Amounts are decimal strings in wei and have the format `uint`, times are ISO 8601 in UTC. Every response except errors has an `ETag`, and any origin may read it.",
  };
}
