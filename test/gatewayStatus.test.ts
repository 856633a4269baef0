import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { Gateway } from "../src/gateway/gateway.ts";
import { openPool } from "../src/source/pool/openPool.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import { openStore } from "../src/store/openStore.ts";
import { serveChain } from "./support/api.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { startSimulatedNode } from "./support/simulatedNode.ts";

/** A chain of three blocks behind a gateway to its node and to one that is not there, by URLs with keys. */
async function serveGateway(t: TestContext) {
  const chain = new SimulatedChain({ seed: 48 });
  chain.mine(3);
  const good = await startSimulatedNode(chain);
  t.after(() => good.close());
  const { host } = new URL(good.url);
  const upstreams = openPool([`http://name:secret@${host}/v3/secret-key`, "http://127.0.0.1:1/secret-key"]);
  t.after(() => upstreams.close());
  const store = await openStore(IN_MEMORY, 677);
  t.after(() => store.close());
  const rules = { isDevelopment: false, allowed: [], acceptsCellProofs: true, unboundedLogs: true };
  const gateway = new Gateway({ chainId: 677, upstreams, store, ...rules });
  const served = await serveChain({ seed: 48, blocks: 3, rpc: () => gateway });
  t.after(() => served.close());
  return { chain, served, host };
}

test("the status and the metrics say how each node does, and what was asked by method, without keys", async (t) => {
  const { served, host } = await serveGateway(t);
  const ask = (method: string) =>
    served.app.inject({ method: "POST", url: "/rpc", payload: { jsonrpc: "2.0", id: 1, method, params: [] } });

  for (const method of ["eth_blockNumber", "eth_blockNumber", "eth_chainId", "eth_nothing"]) await ask(method);
  const { body } = await served.get("/status");
  const { body: metrics } = await served.app.inject({ method: "GET", url: "/metrics" });

  const [one, other] = body.upstreams as Record<string, unknown>[];
  assert.deepEqual([one!.name, one!.state, one!.head, one!.lag], [`http://${host}`, "ok", 3, 0]);
  assert.ok(Number(one!.requests) > 1 && Number(one!.latency_ms) >= 0);
  assert.deepEqual([other!.name, other!.state, other!.head], ["http://127.0.0.1:1", "failing", null]);
  assert.ok(Number(other!.failures) > 0);
  assert.match(
    metrics,
    /oriel_rpc_calls_total\{[^}]*method="eth_blockNumber",place="upstream",outcome="answered"[^}]*\} 2/,
  );
  assert.match(metrics, /oriel_rpc_calls_total\{[^}]*method="eth_chainId",place="gateway",outcome="answered"[^}]*\} 1/);
  assert.match(metrics, /oriel_rpc_calls_total\{[^}]*method="other",place="none",outcome="refused"[^}]*\} 1/);
  assert.match(metrics, new RegExp(`oriel_upstream_ok\\{[^}]*upstream="http://${host}"[^}]*\\} 1`));
  assert.match(metrics, /oriel_upstream_ok\{[^}]*upstream="http:\/\/127.0.0.1:1"[^}]*\} 0/);
  assert.match(metrics, new RegExp(`oriel_upstream_head_block\\{[^}]*upstream="http://${host}"[^}]*\\} 3`));
  assert.doesNotMatch(metrics + JSON.stringify(body), /secret/);
});

test("the module proxy and /api/eth-rpc answer what the node does, through the gateway", async (t) => {
  const { chain, served } = await serveGateway(t);
  const answer = { jsonrpc: "2.0", id: 1, result: `0x${chain.head.number.toString(16)}` };
  const { body } = await served.get("/api?module=proxy&action=eth_blockNumber");
  const call = { jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] };
  const posted = await served.app.inject({ method: "POST", url: "/api/eth-rpc", payload: call });

  assert.deepEqual([body, posted.json()], [answer, answer]);
});
