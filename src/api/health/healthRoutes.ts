import type { FastifyInstance } from "fastify";
import type { RpcBackend } from "../../jsonrpc/backend.ts";
import type { QueryContext } from "../../query/context.ts";
import { readIndexStatus, reasonNotReady } from "../../query/indexStatus.ts";
import { serveRead } from "../http/httpRules.ts";
import { COSTS } from "../http/rateLimit.ts";
import type { Operation } from "../openapi/operation.ts";
import { always, count, fields, orNull, text } from "../openapi/values.ts";
import type { AppSettings } from "../settings.ts";
import { indexAge, presentStatus } from "./presentStatus.ts";
import { StatusSchema } from "./statusSchema.ts";

const tag = "Operation";

const AGE = {
  index_age_seconds: orNull(
    count("seconds since the process that writes the index last gave a sign of life; null if it is not known"),
  ),
};

/** For operators, load balancers and Prometheus. */
export const HEALTH_OPERATIONS: readonly Operation[] = [
  {
    method: "get",
    path: "/health",
    tag,
    summary: "200 while the process is alive",
    parameters: [],
    answers: {
      200: {
        description: "The process is alive.",
        schema: fields("the state", { status: always("ok", "always `ok`") }),
      },
    },
  },
  {
    method: "get",
    path: "/ready",
    tag,
    summary: "whether the server should receive traffic",
    parameters: [],
    answers: {
      200: {
        description: "The server should receive traffic.",
        schema: fields("the state", { status: always("ready", "always `ready`"), ...AGE }),
      },
      503: {
        description: "The server should not receive traffic.",
        schema: fields("the state", {
          status: always("not ready", "always `not ready`"),
          reason: text(
            "the cause: nothing is indexed, node and index are on different branches, the indexer is not running, a thread died, the node does not respond, or the index is too many blocks behind",
          ),
          ...AGE,
        }),
      },
    },
  },
  {
    method: "get",
    path: "/status",
    tag,
    summary: "the state of the index",
    parameters: [],
    answers: { 200: { description: "The state of the index.", schema: StatusSchema } },
  },
  {
    method: "get",
    path: "/metrics",
    tag,
    summary: "metrics for Prometheus",
    parameters: [],
    answers: { 200: { description: "Metrics in the text format of Prometheus.", type: "text/plain" } },
  },
];

export function healthRoutes(app: FastifyInstance, query: QueryContext, settings: AppSettings, rpc?: RpcBackend): void {
  serveRead(app, "/health", COSTS.free, () => ({ status: "ok" }));
  serveRead(app, "/status", COSTS.free, async ({ headers, url }, reply) => {
    reply.header("vary", "accept");
    const isForPeople = settings.web !== undefined && !url.includes("?") && /\btext\/html\b/.test(headers.accept ?? "");
    if (isForPeople) return reply.redirect("/index-status");
    return presentStatus(await readIndexStatus(query), settings, rpc?.status?.().upstreams);
  });
  serveRead(app, "/ready", COSTS.free, async (_, reply) => {
    const status = await readIndexStatus(query);
    const reason = reasonNotReady(status, query.node !== undefined);
    const age = { index_age_seconds: indexAge(status) };
    if (reason === undefined) return { status: "ready", ...age };
    return reply.code(503).send({ status: "not ready", reason, ...age });
  });
}
