import type { FastifyInstance, FastifyRequest } from "fastify";
import { findJsonFault } from "../../jsonrpc/jsonFault.ts";
import type { QueryContext } from "../../query/context.ts";
import type { SubgraphKind } from "../../query/subgraph/subgraphMarket.ts";
import { answerErrorsAs } from "../http/failure.ts";
import type { ReadRequest } from "../http/httpRules.ts";
import { allowOnly } from "../http/httpRules.ts";
import type { Interface } from "../http/interface.ts";
import { COSTS } from "../http/rateLimit.ts";
import type { ResponseCache } from "../http/responseCache.ts";
import { cacheable } from "../http/responseCache.ts";
import type { SubgraphRequest } from "./answerQuery.ts";
import { MAX_BODY, MAX_NESTED } from "./limits.ts";
import { subgraphOperations } from "./subgraphSchema.ts";

interface SubgraphOptions {
  readonly network: QueryContext;
  readonly kind: SubgraphKind;
}

/** What programs of The Graph's subgraphs of Uniswap read of them. */
export function subgraphInterface({ network, kind }: SubgraphOptions, responses: ResponseCache): Interface {
  const config = { cost: COSTS.search };
  return {
    prefix: `/subgraphs/uniswap-${kind}`,
    answerError,
    routes: (scope) => {
      acceptText(scope);
      scope.post("/", { config }, (request, reply) =>
        responses.serveOnce(request, reply, async () => answer(network, kind, parseBody(request))),
      );
      scope.get<ReadRequest>("/", { config }, async (request, reply) =>
        responses.serve(request, reply, async () =>
          cacheable("index", await answer(network, kind, parseQuery(request.query))),
        ),
      );
      allowOnly(scope, "/", ["GET", "HEAD", "POST"]);
    },
    operations: subgraphOperations(kind),
  };
}

/** GraphQL is loaded by the first query. */
async function answer(network: QueryContext, kind: SubgraphKind, request: SubgraphRequest): Promise<object> {
  const { answerQuery } = await import("./answerQuery.ts");
  return answerQuery(network, kind, request);
}

function acceptText(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", { parseAs: "string", bodyLimit: MAX_BODY }, (_, body, done) => done(null, body));
}

class BadRequest extends Error {}

const HINT = 'send a query with POST, as {"query": "{ _meta { block { number } } }"}';

const HINTS: Readonly<Record<number, string>> = {
  405: HINT,
  413: `a body has at most ${MAX_BODY} bytes`,
};

const answerError = answerErrorsAs(({ status, message }, error) => {
  if (error instanceof BadRequest) return { status: 200, body: presentFailure(error.message) };
  return { body: presentFailure(HINTS[status] ?? message) };
});

const presentFailure = (message: string) => ({ errors: [{ message }] });

const FORM = "a query is a JSON object with `query`, a text, and perhaps `variables`, an object, and `operationName`";

function parseBody({ body }: FastifyRequest): SubgraphRequest {
  if (typeof body !== "string" || findJsonFault(body) !== undefined) throw new BadRequest(FORM);
  return parseRequest(parseObject(body));
}

/** Some clients send short queries in the URL. */
function parseQuery({ query, variables, operationName }: ReadRequest["Querystring"]): SubgraphRequest {
  if (query === undefined) throw new BadRequest(HINT);
  const isText = typeof variables === "string" && findJsonFault(variables) === undefined;
  if (variables !== undefined && !isText) throw new BadRequest(FORM);
  return parseRequest({ query, operationName, variables: isText ? parseObject(variables) : undefined });
}

function parseRequest({ query, variables, operationName }: Readonly<Record<string, unknown>>): SubgraphRequest {
  if (typeof query !== "string") throw new BadRequest(FORM);
  const isNamed = operationName === undefined || operationName === null || typeof operationName === "string";
  const hasVariables = variables === undefined || variables === null || isObject(variables);
  if (!isNamed || !hasVariables) throw new BadRequest(FORM);
  if (isDeeper(variables, MAX_NESTED)) {
    throw new BadRequest(`variables have at most ${MAX_NESTED} values inside each other`);
  }
  return { query, variables: variables ?? undefined, operationName: operationName ?? undefined };
}

function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return most === 0 || Object.values(value).some((each) => isDeeper(each, most - 1));
}

function parseObject(body: string): Readonly<Record<string, unknown>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch (cause) {
    throw Object.assign(new BadRequest(FORM), { cause });
  }
  if (!isObject(parsed)) throw new BadRequest(FORM);
  return parsed;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
