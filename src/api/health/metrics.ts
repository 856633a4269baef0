import type { FastifyInstance } from "fastify";
import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Context } from "../context.ts";
import { serveRead } from "../http/httpRules.ts";
import { activityMetrics } from "./activityMetrics.ts";
import type { State } from "./status.ts";
import { readState } from "./status.ts";

/** Prometheus metrics of one network: each app has a registry of its own. */
export function metricsRoutes(app: FastifyInstance, context: Context): void {
  const registry = new Registry();
  registry.setDefaultLabels({ chain_id: String(context.settings.chainId) });
  collectDefaultMetrics({ register: registry });
  timeRequests(app, registry);
  activityMetrics(context.activity, registry);
  const gauges = stateGauges(registry);
  const size = new Gauge({ name: "oriel_store_bytes", help: "Size of the index.", registers: [registry] });
  serveRead(app, "/metrics", async (_, reply) => {
    const state = await readState(context);
    for (const [gauge, read] of gauges) gauge.set(read(state) ?? Number.NaN);
    size.set(await context.store.engine.size());
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}

function timeRequests(app: FastifyInstance, registry: Registry): void {
  const durations = new Histogram({
    name: "oriel_http_request_duration_seconds",
    help: "Time to answer, by route and class of status.",
    labelNames: ["route", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  app.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "none";
    durations.observe({ route, status: `${Math.floor(reply.statusCode / 100)}xx` }, reply.elapsedTime / 1000);
  });
}

type Reading = [gauge: Gauge, read: (state: State) => number | null | undefined];

function stateGauges(registry: Registry): Reading[] {
  const gauge = (name: string, help: string) => new Gauge({ name: `oriel_${name}`, help, registers: [registry] });
  return [
    [gauge("indexed_block", "Newest indexed block."), ({ tip }) => tip?.number],
    [gauge("head_block", "Newest block of the node."), ({ head }) => head?.number],
    [gauge("lag_blocks", "Blocks between the index and the node."), ({ lag }) => lag],
    [
      gauge("disagreement_block", "Newest block of the node, where the index has another at its height."),
      ({ disagreement }) => disagreement?.number,
    ],
    [gauge("transactions", "Indexed transactions."), ({ tip }) => tip?.totals.transactions],
    [gauge("logs", "Indexed logs."), ({ tip }) => tip?.totals.logs],
    [gauge("addresses", "Addresses seen."), ({ tip }) => tip?.totals.addresses],
    [gauge("contracts", "Contracts deployed."), ({ tip }) => tip?.totals.contracts],
    [gauge("tokens_due", "Tokens to be observed, counted up to 10000."), ({ tokensDue }) => tokensDue],
    [
      gauge("omitted_transfers", "Transfers left out of blocks with too many."),
      ({ omissions }) => omissions?.transfers ?? 0,
    ],
    [gauge("verified_block", "The next block to be verified."), ({ verified }) => verified.next],
    [gauge("damaged_blocks", "Blocks whose rows do not agree, up to 100."), ({ verified }) => verified.damaged.length],
    [gauge("differences", "What the last full recomputation found."), ({ verified }) => verified.differences],
    [gauge("indexer_running", "1 while the indexer works."), ({ indexer }) => (indexer.state === "running" ? 1 : 0)],
  ];
}
