import type { FastifyInstance } from "fastify";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { RpcBackend } from "../../jsonrpc/backend.ts";
import type { QueryContext } from "../../query/context.ts";
import type { IndexStatus } from "../../query/indexStatus.ts";
import { readIndexStatus } from "../../query/indexStatus.ts";
import { serveRead } from "../http/httpRules.ts";
import { COSTS } from "../http/rateLimit.ts";
import type { RequestQueue } from "../http/requestQueue.ts";
import type { AppSettings } from "../settings.ts";
import { activityMetrics } from "./activityMetrics.ts";
import { gatewayMetrics } from "./gatewayMetrics.ts";

/** Each app has its own registry. */
export function metricsRoutes(
  app: FastifyInstance,
  query: QueryContext,
  { chainId }: AppSettings,
  queue: Pick<RequestQueue, "refused">,
  rpc?: RpcBackend,
): void {
  const registry = new Registry();
  registry.setDefaultLabels({ chain_id: String(chainId) });
  collectDefaultMetrics({ register: registry });
  timeRequests(app, registry);
  activityMetrics(query.activity, registry);
  gatewayMetrics(rpc, registry);
  refusalMetrics(queue, registry);
  const gauges = stateGauges(registry);
  const size = new Gauge({ name: "oriel_store_bytes", help: "Size of the index.", registers: [registry] });
  serveRead(app, "/metrics", COSTS.free, async (_, reply) => {
    const status = await readIndexStatus(query);
    for (const [gauge, read] of gauges) gauge.set(read(status) ?? Number.NaN);
    size.set((await query.store.size()) ?? Number.NaN);
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}

function refusalMetrics(queue: Pick<RequestQueue, "refused">, registry: Registry): void {
  new Counter({
    name: "oriel_http_refused_requests",
    help: "Requests refused because the server is overloaded.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(queue.refused);
    },
  });
}

function timeRequests(app: FastifyInstance, registry: Registry): void {
  const durations = new Histogram({
    name: "oriel_http_request_duration_seconds",
    help: "Response time, by route and status class.",
    labelNames: ["route", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  app.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "none";
    durations.observe({ route, status: `${Math.floor(reply.statusCode / 100)}xx` }, reply.elapsedTime / 1000);
  });
}

type Reading = [gauge: Gauge, read: (status: IndexStatus) => number | null | undefined];

function stateGauges(registry: Registry): Reading[] {
  const gauge = (name: string, help: string) => new Gauge({ name: `oriel_${name}`, help, registers: [registry] });
  return [
    [gauge("indexed_block", "Newest indexed block."), ({ tip }) => tip?.number],
    [gauge("head_block", "Newest block of the node."), ({ head }) => head?.number],
    [gauge("lag_blocks", "Blocks between the index and the node."), ({ lag }) => lag],
    [
      gauge("disagreement_block", "Newest block of the node, if the index has another block at that height."),
      ({ disagreement }) => disagreement?.number,
    ],
    [gauge("transactions", "Indexed transactions."), ({ tip }) => tip?.totals.transactions],
    [gauge("logs", "Indexed logs."), ({ tip }) => tip?.totals.logs],
    [gauge("addresses", "Addresses seen."), ({ tip }) => tip?.totals.addresses],
    [gauge("contracts", "Contracts deployed."), ({ tip }) => tip?.totals.contracts],
    [gauge("tokens_due", "Tokens waiting to be observed, counted up to 10000."), ({ tokensDue }) => tokensDue],
    [
      gauge("omitted_transfers", "Transfers omitted from blocks with too many."),
      ({ omissions }) => omissions?.transfers ?? 0,
    ],
    [gauge("verified_block", "Next block to verify."), ({ verified }) => verified.next],
    [
      gauge("damaged_blocks", "Damaged blocks found by verification, counted up to 100."),
      ({ verified }) => verified.damaged.length,
    ],
    [gauge("differences", "Differences found by the last full recomputation."), ({ verified }) => verified.differences],
    [
      gauge("indexer_running", "1 while the indexer is running."),
      ({ indexer }) => (indexer.state === "running" ? 1 : 0),
    ],
  ];
}
