import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";
import fastify, { LogController } from "fastify";
import type { AppSettings } from "../settings.ts";
import { proxyRanges } from "./client.ts";
import { HttpError } from "./failure.ts";
import {
  answerBadRequest,
  answerBadUrl,
  answerPlainError,
  applyHttpRules,
  HTTP_LIMITS,
  wantsWebSocket,
} from "./httpRules.ts";
import type { Interface } from "./interface.ts";
import { interfaceOf, mountInterface } from "./interface.ts";
import type { RateLimit } from "./rateLimit.ts";
import { limitRequests } from "./rateLimit.ts";
import type { RequestQueue } from "./requestQueue.ts";
import type { ResponseCache } from "./responseCache.ts";
import { shedRequests } from "./shedRequests.ts";

interface HttpAppOptions {
  readonly limit?: RateLimit | undefined;
  /** Without a queue no requests are shed. */
  readonly queue?: RequestQueue;
  readonly responses?: Pick<ResponseCache, "has">;
}

/** An app with shared limits and headers that mounts the interfaces. */
export function createHttpApp(
  { logger, trustProxy }: Pick<AppSettings, "logger" | "trustProxy">,
  interfaces: readonly Interface[],
  { limit, queue, responses }: HttpAppOptions = {},
): FastifyInstance {
  const app: FastifyInstance = fastify({
    ...HTTP_LIMITS,
    ...(logger === undefined ? { logger: false } : { loggerInstance: logger }),
    schemaController: WITHOUT_SCHEMAS,
    trustProxy: trustProxy === undefined ? false : proxyRanges(trustProxy),
    logController: new LogController({ disableRequestLogging: true }),
    frameworkErrors: answerBadUrl((url) => interfaceOf(url, interfaces)?.answerError ?? answerPlainError),
    clientErrorHandler: answerBadRequest,
  });
  if (queue !== undefined) shedRequests(app, interfaces, queue, (url) => responses?.has(url) ?? false);
  app.register(cors, CORS);
  applyHttpRules(app, (request) => interfaces.find((each) => each.claims?.(request))?.answerError ?? answerPlainError);
  refuseWebSockets(app, interfaces);
  if (limit !== undefined) limitRequests(app, limit);
  for (const each of interfaces) mountInterface(app, each);
  return app;
}

/** Only at the root, where pages and JSON-RPC are. */
function refuseWebSockets(app: FastifyInstance, interfaces: readonly Interface[]): void {
  const refuse = interfaces.find(({ refusesWebSockets }) => refusesWebSockets)?.answerError ?? answerPlainError;
  app.addHook("onRequest", async (request, reply) => {
    const isRoot = /^\/?(\?|$)/.test(request.originalUrl);
    return isRoot && wantsWebSocket(request) ? refuse(new HttpError(501), request, reply) : undefined;
  });
}

function refuseSchemas(): never {
  throw new Error("routes are described in the OpenAPI document, and have no schemas of fastify");
}

/** By default fastify loads two schema compilers, some 150 modules, at every start. */
const WITHOUT_SCHEMAS = { compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas } };

const CORS = {
  origin: "*",
  methods: ["GET", "HEAD", "POST", "PATCH", "OPTIONS"],
  exposedHeaders: ["ETag", "Retry-After", "Oriel-Index-Fork"],
  maxAge: 86_400,
  strictPreflight: false,
};
