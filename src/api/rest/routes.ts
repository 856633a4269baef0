import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ReadRequest } from "../http/httpRules.ts";
import { serveRead } from "../http/httpRules.ts";
import type { Interface } from "../http/interface.ts";
import { COSTS } from "../http/rateLimit.ts";
import type { ResponseCache } from "../http/responseCache.ts";
import type { Operation } from "../openapi/operation.ts";
import type { AppSettings } from "../settings.ts";
import { ACCOUNT_LIST_ROUTES } from "./addresses/accountListRoutes.ts";
import { ADDRESS_ROUTES } from "./addresses/addressRoutes.ts";
import { ASSET_ROUTES } from "./addresses/assetRoutes.ts";
import { ADVANCED_ROUTES } from "./advanced/advancedRoutes.ts";
import { BLOCK_ROUTES } from "./blocks/blockRoutes.ts";
import { CONTRACT_ROUTES } from "./contracts/contractRoutes.ts";
import { submitOperations, submitRoutes } from "./contracts/submitSource.ts";
import { serveCsv } from "./csv/serveCsv.ts";
import { answerRestError } from "./errors.ts";
import { readExamples } from "./examples.ts";
import type { RestContext, RestRequest, Route } from "./route.ts";
import { describeCsv, describeRoute, REST_PREFIX } from "./route.ts";
import { SEARCH_ROUTES } from "./search/searchRoutes.ts";
import { STATS_ROUTES } from "./stats/statsRoutes.ts";
import { INSTANCE_ROUTES } from "./tokens/instanceRoutes.ts";
import { TOKEN_ROUTES } from "./tokens/tokenRoutes.ts";
import { TRACE_ROUTES } from "./traces/traceRoutes.ts";
import { TRANSACTION_ROUTES } from "./transactions/transactionRoutes.ts";
import { writeOperations, writeRoutes } from "./writeRoutes.ts";

/** Explorer REST API (specification, section 4.1). */
export const ROUTES: readonly Route[] = [
  ...STATS_ROUTES,
  ...BLOCK_ROUTES,
  ...TRANSACTION_ROUTES,
  ...ACCOUNT_LIST_ROUTES,
  ...ADDRESS_ROUTES,
  ...ASSET_ROUTES,
  ...TRACE_ROUTES,
  ...CONTRACT_ROUTES,
  ...TOKEN_ROUTES,
  ...INSTANCE_ROUTES,
  ...ADVANCED_ROUTES,
  ...SEARCH_ROUTES,
];

export function restInterface(context: RestContext, responses: ResponseCache): Interface {
  return {
    prefix: REST_PREFIX,
    answerError: answerRestError,
    routes: (scope) => {
      for (const route of ROUTES) serveRoute(scope, context, route, responses);
      submitRoutes(scope, context.verifier);
      writeRoutes(scope, context);
    },
    operations: restOperations(context.settings),
    examples: readExamples(context.network.store),
  };
}

export function restOperations({ compat }: Pick<AppSettings, "compat">): readonly Operation[] {
  const files = ROUTES.filter(({ isList }) => isList).map(describeCsv);
  return [
    ...ROUTES.map((route) => describeRoute(route, compat)),
    ...files,
    ...submitOperations(REST_PREFIX),
    ...writeOperations(REST_PREFIX),
  ];
}

function serveRoute(app: FastifyInstance, context: RestContext, route: Route, responses: ResponseCache): void {
  const { path, parameters = [], isList, serve } = route;
  const vary = parameters.filter((parameter) => parameter.in === "header").map(({ name }) => name);
  const url = path.replace(/\{(\w+)\}/g, ":$1");
  if (isList)
    serveRead(app, `${url}/csv`, COSTS.file, (request, reply) => serveCsv(route, context, requestOf(request), reply));
  serveRead(app, url, route.cost ?? (isList ? COSTS.list : COSTS.record), (request, reply) => {
    const make = () => serve(context, requestOf(request));
    if (vary.length === 0) return responses.serve(request, reply, make);
    // The cache is keyed by URL, but this response depends on headers.
    reply.header("vary", vary.join(", "));
    return make();
  });
}

function requestOf({ params, query, headers }: FastifyRequest<ReadRequest>): RestRequest {
  const [parameter = "", item = ""] = Object.values(params);
  return { parameter, item, query, headers };
}
