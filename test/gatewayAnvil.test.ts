import assert from "node:assert/strict";
import { test } from "node:test";
import { Gateway } from "../src/gateway/gateway.ts";
import { Indexer } from "../src/indexer/indexer.ts";
import { textOf } from "../src/jsonrpc/responseBody.ts";
import { openPool } from "../src/source/pool/openPool.ts";
import { Upstream } from "../src/source/upstream.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import { openStore } from "../src/store/openStore.ts";
import { Anvil, endsOpen } from "./support/anvilNode.ts";
import { CHAIN_ID } from "./support/developmentNode.ts";
import type { Answer } from "./support/gatewayChain.ts";
import { Random } from "./support/random.ts";
import { RandomCalls } from "./support/randomCalls.ts";
import { findAnvil, RealNode } from "./support/realNode.ts";
import { firstSeed } from "./support/seed.ts";

const CASES = Number(process.env.ORIEL_CASES ?? 250);
const SEED = firstSeed();
const CALLS_PER_ROUND = 100;
const METHOD_NOT_FOUND = -32_601;

const kind = findAnvil();
const skip = typeof kind === "string" && kind;

test(`${CASES} random calls are answered by the gateway as by anvil, seed ${SEED}`, { skip }, async (t) => {
  if (typeof kind === "string") return;
  const node = await RealNode.start(t, { ...kind, args: [...kind.args, "--chain-id", String(CHAIN_ID)] });
  const store = await openStore(IN_MEMORY, CHAIN_ID);
  t.after(() => store.close());
  const source = new Upstream({ url: node.url, chainId: CHAIN_ID, authoritative: true });
  const upstreams = openPool([node.url], { chainId: CHAIN_ID });
  t.after(() => Promise.all([source.close(), upstreams.close()]));
  const rules = { isDevelopment: false, allowed: [], acceptsCellProofs: true, unboundedLogs: true };
  const gateway = new Gateway({ chainId: CHAIN_ID, upstreams, store, ...rules });
  const indexer = new Indexer({ store, source, integrity: "observe", stages: [] });
  const random = new Random(SEED);
  const calls = new RandomCalls(new Anvil(node), random);
  const ask = async (send: (body: string) => Promise<string>, method: string, params: unknown[]) => {
    const { result, error } = JSON.parse(
      await send(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })),
    ) as Answer;
    return error === undefined ? { result } : { error };
  };
  const direct = async (body: string) => {
    const headers = { "content-type": "application/json" };
    return (await fetch(node.url, { method: "POST", body, headers })).text();
  };
  const passed = async (body: string) => textOf((await gateway.handle(body, false))!);
  const asked = new Set<string>();
  await calls.begin();

  for (let count = 0; count < CASES; count++) {
    if (count % CALLS_PER_ROUND === 0) {
      await (random.chance(0.5) ? calls.reorganise() : calls.grow());
      while ((await indexer.step()) !== "idle");
    }
    const [method, params] = calls.next();
    asked.add(method);
    const [expected, answered] = [await ask(direct, method, params), await ask(passed, method, params)];
    // What anvil does not have, the gateway answers from the index.
    if ("error" in expected && expected.error.code === METHOD_NOT_FOUND) continue;
    if (method === "eth_getLogs" && endsOpen(params[0])) continue;
    assert.deepEqual(answered, expected, `${method} ${JSON.stringify(params)}`);
  }
  if (CASES >= 400) assert.ok(asked.size >= 20, `${asked.size} methods`);
});
