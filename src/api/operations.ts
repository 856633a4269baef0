import type { FastifyInstance } from "fastify";
import type { Context } from "./context.ts";
import { serveRead } from "./http.ts";
import { presentStatus, readState, reasonNotReady } from "./status.ts";

/** What operators and load balancers ask. */
export function operationRoutes(app: FastifyInstance, context: Context): void {
  serveRead(app, "/health", () => ({ status: "ok" }));
  serveRead(app, "/status", async () => presentStatus(await readState(context), context));
  serveRead(app, "/ready", async (_, reply) => {
    const reason = reasonNotReady(await readState(context), context.head !== undefined);
    return reason === undefined ? { status: "ready" } : reply.code(503).send({ status: "not ready", reason });
  });
}
