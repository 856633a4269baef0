import type { Registry } from "prom-client";
import { Counter, Gauge } from "prom-client";
import type { RpcBackend, UpstreamStatus } from "../../jsonrpc/backend.ts";

/** Call counts and node states of a gateway. */
export function gatewayMetrics(rpc: RpcBackend | undefined, registry: Registry): void {
  const registers = [registry];
  new Counter({
    name: "oriel_rpc_calls_total",
    help: "Calls of a gateway, by method, place and outcome.",
    labelNames: ["method", "place", "outcome"],
    registers,
    collect() {
      this.reset();
      for (const { count, ...labels } of rpc?.status?.().calls ?? []) this.inc(labels, count);
    },
  });
  const gauge = (name: string, help: string, read: (upstream: UpstreamStatus) => number | null) =>
    new Gauge({
      name: `oriel_upstream_${name}`,
      help,
      labelNames: ["upstream"],
      registers,
      collect() {
        this.reset();
        for (const upstream of rpc?.status?.().upstreams ?? []) {
          this.set({ upstream: upstream.name }, read(upstream) ?? Number.NaN);
        }
      },
    });
  gauge("ok", "1 while a node is usable, by node.", ({ state }) => (state === "ok" ? 1 : 0));
  gauge("head_block", "Newest block of a node, by node.", ({ head }) => head);
  gauge("latency_seconds", "Response time of a node, by node.", ({ latencyMs }) => latencyMs && latencyMs / 1000);
  gauge("requests", "Requests to a node since the start, by node.", ({ requests }) => requests);
  gauge("failures", "Failed requests to a node since the start, by node.", ({ failures }) => failures);
}
