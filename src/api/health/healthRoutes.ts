import type { FastifyInstance } from "fastify";
import type { Context } from "../context.ts";
import { serveRead } from "../http/httpRules.ts";
import type { Operation } from "../openapi/operation.ts";
import { always, fields, text } from "../openapi/values.ts";
import { presentStatus, readState, reasonNotReady } from "./status.ts";
import { StatusSchema } from "./statusSchema.ts";

const tag = "Operation";

/** What operators and load balancers can ask, and Prometheus. */
export const HEALTH_OPERATIONS: readonly Operation[] = [
  {
    method: "get",
    path: "/health",
    tag,
    summary: "200 while the process lives",
    parameters: [],
    answers: {
      200: { description: "It lives.", schema: fields("how it is", { status: always("ok", "always `ok`") }) },
    },
  },
  {
    method: "get",
    path: "/ready",
    tag,
    summary: "whether it should get traffic",
    parameters: [],
    answers: {
      200: { description: "It should.", schema: fields("how it is", { status: always("ready", "always `ready`") }) },
      503: {
        description: "It should not.",
        schema: fields("how it is", {
          status: always("not ready", "always `not ready`"),
          reason: text(
            "nothing indexed, node and index on different branches, the indexer not running and why, its thread dead, the node silent, or too many blocks behind",
          ),
        }),
      },
    },
  },
  {
    method: "get",
    path: "/status",
    tag,
    summary: "how the index stands",
    parameters: [],
    answers: { 200: { description: "How it stands.", schema: StatusSchema } },
  },
  {
    method: "get",
    path: "/metrics",
    tag,
    summary: "how it is, for Prometheus",
    parameters: [],
    answers: { 200: { description: "Metrics in the text format of Prometheus.", type: "text/plain" } },
  },
];

/** What operators and load balancers ask. */
export function healthRoutes(app: FastifyInstance, context: Context): void {
  serveRead(app, "/health", () => ({ status: "ok" }));
  serveRead(app, "/status", async () => presentStatus(await readState(context), context));
  serveRead(app, "/ready", async (_, reply) => {
    const reason = reasonNotReady(await readState(context), context.head !== undefined);
    return reason === undefined ? { status: "ready" } : reply.code(503).send({ status: "not ready", reason });
  });
}
