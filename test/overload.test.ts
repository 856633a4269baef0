import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_IN_FLIGHT } from "../src/api/rpc/routes.ts";
import { serveChain } from "./support/api.ts";
import { until } from "./support/waiting.ts";

test("what cannot be served is refused at once in the form of its interface, and what is cheap is served", async (t) => {
  const served = await serveChain({
    seed: 5,
    blocks: 20,
    settings: { web: { coin: "E", isTestnet: false, others: [] } },
  });
  t.after(() => served.close());
  const send = (url: string, headers: Record<string, string> = {}) =>
    served.app.inject({ method: "GET", url, headers }).then((answer) => answer);
  const [block] = (await served.get("/api/v2/blocks")).body.items as { miner: { hash: string } }[];
  const kept = "/api/v2/transactions?page_size=7";
  for (let times = 0; times < 3; times++) await send(kept);
  // None is asked for twice, so that each has to be made.
  const path = (at: number) => `/api/v2/transactions?n=${at}`;
  const forms = {
    "/api/v2/transactions?n=a": /^\{"message":"Service Unavailable"\}$/,
    [`/api?module=account&action=txlist&address=${block!.miner.hash}&n=b`]:
      /^\{"status":"0","message":"Service Unavailable"/,
    "/api/v1/pools?n=c": /"success":false/,
    "/txs?n=d": /<!doctype html>/i,
  };

  const lists = Array.from({ length: 700 }, (_, at) => send(path(at)));
  const others = Object.keys(forms).map((each) => send(each, { accept: "text/html" }));
  const cheap = ["/health", "/api/v2/blocks/3", kept].map((each) => send(each));
  const answers = await Promise.all(lists);

  const refused = answers.filter(({ statusCode }) => statusCode === 503);
  const good = answers.filter(({ statusCode }) => statusCode === 200);
  assert.equal(refused.length + good.length, answers.length);
  assert.ok(refused.length > 100 && good.length > 100, `${refused.length} of ${answers.length} were refused`);
  for (const { headers } of refused) {
    assert.equal(headers["retry-after"], "1");
    assert.equal(headers["access-control-allow-origin"], "*");
  }
  for (const { statusCode } of await Promise.all(cheap)) assert.equal(statusCode, 200);
  for (const [at, { statusCode, body }] of (await Promise.all(others)).entries()) {
    assert.equal(statusCode, 503, Object.keys(forms)[at]!);
    assert.match(body, Object.values(forms)[at]!);
  }
  assert.equal((await send(path(-1))).statusCode, 200);
  assert.match((await send("/metrics")).body, /^oriel_http_refused_requests\{.*\} [1-9]/m);
});

test("a node that does not keep up gets no more than it can have in flight", async (t) => {
  const { promise: silence, resolve } = Promise.withResolvers<string>();
  let inFlight = 0;
  const handle = () => {
    inFlight++;
    return silence;
  };
  const served = await serveChain({ seed: 5, blocks: 1, rpc: () => ({ handle }) });
  t.after(() => served.close());
  const payload = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId" });
  const call = { method: "POST", url: "/rpc", payload, headers: { "content-type": "application/json" } } as const;
  const waiting = Array.from({ length: MAX_IN_FLIGHT }, () => served.app.inject(call).then((answer) => answer));
  await until("all are in flight", () => inFlight === MAX_IN_FLIGHT);

  const refused = await served.app.inject(call);

  assert.deepEqual([refused.statusCode, refused.headers["retry-after"]], [503, "1"]);
  assert.equal(refused.json<{ error: { code: number } }>().error.code, -32_005);
  resolve('{"jsonrpc":"2.0","id":1,"result":"0x2a5"}');
  for (const answer of await Promise.all(waiting)) assert.equal(answer.statusCode, 200);
  assert.equal((await served.app.inject(call)).statusCode, 200);
});
