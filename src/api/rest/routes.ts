import type { FastifyInstance } from "fastify";
import type { Context } from "../context.ts";
import { serveRead } from "../http.ts";
import type { Query } from "../params.ts";
import { ADDRESS_ROUTES } from "./addressRoutes.ts";
import { shapeList } from "./bareLists.ts";
import { BLOCK_ROUTES, TRANSACTION_ROUTES } from "./chainRoutes.ts";
import type { Envelope } from "./envelope.ts";
import type { Route } from "./route.ts";
import { STATS_ROUTES } from "./statsRoutes.ts";
import { SEARCH_ROUTES, TOKEN_ROUTES } from "./tokenRoutes.ts";

/** The explorer REST API (specification, section 4.1). */
export const ROUTES: readonly Route[] = [
  ...STATS_ROUTES,
  ...BLOCK_ROUTES,
  ...TRANSACTION_ROUTES,
  ...ADDRESS_ROUTES,
  ...TOKEN_ROUTES,
  ...SEARCH_ROUTES,
];

export function restRoutes(app: FastifyInstance, context: Context): void {
  for (const route of ROUTES) serveRoute(app, context, route);
}

function serveRoute(app: FastifyInstance, context: Context, { path, parameters = [], isBare, serve }: Route): void {
  const vary = parameters.filter((parameter) => parameter.in === "header").map(({ name }) => name);
  serveRead(app, `/api/v2${path.replace(/\{(\w+)\}/g, ":$1")}`, async ({ params, query, headers }, reply) => {
    if (vary.length > 0) reply.header("vary", vary.join(", "));
    const parameter = Object.values(params as Record<string, string>)[0]!;
    const answer = await serve(context, { parameter, query: query as Query, headers });
    return isBare ? shapeList(answer as Envelope<object>, context.settings) : answer;
  });
}
