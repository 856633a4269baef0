import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import fastify from "fastify";
import { serveChain } from "../../../test/support/api.ts";
import { handleFor } from "../../../test/support/portNode.ts";
import { clientOf, proxyRanges } from "./client.ts";
import { createHttpApp } from "./httpApp.ts";
import { BURST_SECONDS, BYTES_PER_UNIT, COSTS, costOf, costOfCalls, limitRequests, RateLimit } from "./rateLimit.ts";

test("a body costs by its bytes, before it is read or, without a content length, as it arrives", async (t) => {
  const app = fastify();
  t.after(() => app.close());
  const limit = new RateLimit(10, () => 0);
  limitRequests(app, limit);
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body));
  app.post("/", { config: { cost: 1 } }, async () => "");
  const send = async (remoteAddress: string, bytes: number, isChunked = false) => {
    const payload = isChunked ? Readable.from([Buffer.alloc(bytes)]) : Buffer.alloc(bytes);
    const headers = { "content-type": "text/plain" };
    return (await app.inject({ method: "POST", url: "/", payload, headers, remoteAddress })).statusCode;
  };

  for (const [at, isChunked] of [false, true].entries()) {
    const bytes = 9 * BYTES_PER_UNIT;
    for (let times = 0; times < 9; times++) assert.equal(await send(`10.0.0.${at}`, bytes, isChunked), 200);
    for (let times = 0; times < 10; times++) await send(`10.0.0.${at}`, 10);
    assert.equal(await send(`10.0.0.${at}`, 10), 429);
  }
  for (let times = 0; times < 99; times++) assert.equal(await send("10.0.0.9", BYTES_PER_UNIT - 1), 200);
});

test("a client has an allowance that comes back with time, and another has its own", () => {
  let now = 0;
  const limit = new RateLimit(2, () => now);
  assert.equal(limit.take("a", 2 * BURST_SECONDS), 0);

  assert.equal(limit.take("a", 1), 1);
  assert.equal(limit.take("a", 7), 4);
  assert.equal(limit.take("b", 1), 0);
  now = 500;
  assert.equal(limit.take("a", 1), 0);
  assert.equal(limit.take("a", 1), 1);
  now = 60_000;
  assert.equal(limit.take("a", 1000), 0);
  assert.equal(limit.take("a", 1), 491);
});

/** Spellings of one address behind a proxy. */
const SPELLINGS: Readonly<Record<string, (at: number) => string>> = {
  "an IPv4 address": () => "203.0.113.7",
  "ports after it": (at) => `203.0.113.7:${at + 1}`,
  "zeros before its numbers": (at) => ["203.0.113.07", "203.00.113.7", "203.000.113.007"][at % 3]!,
  "IPv6 in brackets": (at) => `[2001:db8:0:7::${at.toString(16)}]`,
  "IPv6 with ports": (at) => `[2001:DB8::7:0:0:0:${at.toString(16)}]:${at + 1}`,
  "IPv6 in zones": (at) => `fe80::1%eth${at}`,
  "IPv4 inside IPv6": (at) => ["::ffff:203.0.113.7", "::FFFF:cb00:7107", "0:0:0:0:0:ffff:cb00:7107"][at % 3]!,
  "what is no address": (at) => `nobody-${at}`,
  "nearly addresses": (at) => `203.0.113.${256 + at}`,
};

for (const [what, spell] of Object.entries(SPELLINGS)) {
  test(`behind a proxy ${what} does not evade the limit`, async (t) => {
    const settings = { rateLimit: 1, trustProxy: ["127.0.0.1"] };
    const served = await serveChain({ seed: 8, blocks: 1, settings });
    t.after(() => served.close());
    const send = (forwarded: string) =>
      served.app.inject({ url: "/api/v2/blocks", headers: { "x-forwarded-for": forwarded } });

    const statuses: number[] = [];
    for (let at = 0; at < 30; at++) statuses.push((await send(`198.51.100.9, ${spell(at)}`)).statusCode);

    const allowed = statuses.filter((status) => status === 200).length;
    assert.ok(allowed >= 1 && allowed <= 5, `${allowed} of 30 were answered`);
    assert.equal((await send("192.0.2.1")).statusCode, 200);
  });
}

test("this machine is not limited, but whom its proxy names is, even where that is this machine", async (t) => {
  const served = await serveChain({
    seed: 8,
    blocks: 1,
    settings: { rateLimit: 1, trustProxy: ["127.0.0.0/8", "::1"] },
  });
  t.after(() => served.close());
  const last = async (remoteAddress: string, headers: Record<string, string> = {}) => {
    let status = 0;
    for (let at = 0; at < 15; at++) {
      ({ statusCode: status } = await served.app.inject({ url: "/api/v2/blocks", remoteAddress, headers }));
    }
    return status;
  };

  for (const ip of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"]) assert.equal(await last(ip), 200, ip);
  for (const ip of ["127.0.0.1", "::1", "localhost"]) {
    assert.equal(await last("127.0.0.1", { "x-forwarded-for": ip }), 429, ip);
  }
});

test("proxies are known in every spelling, and the client is the last that is none", async (t) => {
  const isProxy = proxyRanges(["10.0.0.0/8", "192.0.2.1", "2001:db8::/32", "::ffff:172.16.0.0/108"]);
  const proxies = ["10.9.9.9", "10.1.1.1:443", "::ffff:10.0.0.1", "[2001:DB8::9]:1", "192.0.2.1", "172.31.0.1"];
  const others = ["11.0.0.1", "192.0.2.2", "2001:db9::1", "172.32.0.1", "garbage", "", "::ffff:11.0.0.1"];
  assert.deepEqual(proxies.filter(isProxy), proxies);
  assert.deepEqual(others.filter(isProxy), []);
  const app = createHttpApp({ trustProxy: ["10.0.0.0/8"] }, []);
  t.after(() => app.close());
  app.get("/who", async (request) => clientOf(request));
  const who = async (forwarded: string) =>
    (await app.inject({ url: "/who", remoteAddress: "10.0.0.1", headers: { "x-forwarded-for": forwarded } })).body;

  assert.equal(await who("198.51.100.9, 203.0.113.7:99, 10.0.0.3:12, ::ffff:10.0.0.2"), "203.0.113.7");
  assert.equal(await who("198.51.100.9, unknown, 10.0.0.2"), "unknown by way of 10.0.0.2");
  assert.equal(await who("198.51.100.9, 2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
});

test("calls cost by their methods, each of a batch", () => {
  const body = JSON.stringify([{ method: "eth_chainId" }, { method: "eth_getLogs" }, { method: "debug_traceCall" }]);

  assert.equal(costOfCalls(body), 61);
  assert.equal(costOfCalls("[]"), 0);
});

test("requests cost by what they ask for", async (t) => {
  const served = await serveChain({
    seed: 8,
    blocks: 3,
    settings: { web: { coin: "ETH", isTestnet: false, others: [] } },
    rpc: (chain) => ({ handle: handleFor(chain) }),
  });
  t.after(() => served.close());
  const costs: number[] = [];
  served.app.addHook("onSend", async (request, _, payload) => {
    costs.push(costOf(request));
    return payload;
  });
  const [address, hash] = [`0x${"12".repeat(20)}`, `0x${"34".repeat(32)}`];
  const expected: Readonly<Record<keyof typeof COSTS, readonly string[]>> = {
    free: ["/health", "/status", "/openapi.json", "OPTIONS /api/v2/blocks"],
    record: [
      ...[`/api/v2/addresses/${address}`, `/api/v2/addresses/${address}/counters`, "/api/v2/stats"],
      ...[`/api/v1/pools/${address}`, "/live", "POST /rpc", "POST /", "POST /api/eth-rpc"],
    ],
    list: [
      ...["/api/v2/blocks", `/api/v2/addresses/${address}/nft`, `/api/v1/pools/${address}/tvl`, "/nothing"],
      ...["/api?module=block&action=eth_block_number", "/", `/tx/${hash}`, "POST /api/v2/blocks"],
    ],
    search: ["/api/v2/search?q=1", "/search?q=1", "/suggest?q=1"],
    blob: [`/api/v2/blobs/${hash}`, `/blob/${hash}/data`],
    trace: [`/api/v2/transactions/${hash}/raw-trace`, `/api/v2/transactions/${hash}/state-changes`],
    verification: [`POST /api/v2/smart-contracts/${address}/verification/via/standard-input`],
    file: ["/api/v2/blocks/csv"],
  };

  for (const [kind, asked] of Object.entries(expected)) {
    for (const each of asked) {
      const [, method = "GET", url] = /^(?:([A-Z]+) )?(.*)$/.exec(each)!;
      await served.app.inject({ method: method as "GET", url: url! });
      assert.equal(costs.pop(), COSTS[kind as keyof typeof COSTS], each);
    }
  }
});

test("a source costs the same by every way, and can be sent by who saves little", async (t) => {
  const served = await serveChain({ seed: 8, blocks: 3, settings: { rateLimit: 1 } });
  t.after(() => served.close());
  const ways = [
    `/api/v2/smart-contracts/0x${"12".repeat(20)}/verification/via/flattened-code`,
    "/api?module=contract&action=verifysourcecode",
  ];
  for (const [at, url] of ways.entries()) {
    const send = async () =>
      (await served.app.inject({ method: "POST", url, remoteAddress: `10.0.1.${at}` })).statusCode;

    assert.notEqual(await send(), 429, url);
    assert.equal(await send(), 429, url);
    // The client had 10 units and a list costs 3, less the time the test took.
    const { headers } = await served.app.inject({ url: "/api/v2/blocks", remoteAddress: `10.0.1.${at}` });
    const wait = Number(headers["retry-after"]);
    const longest = COSTS.verification - BURST_SECONDS + COSTS.list;
    assert.ok(wait <= longest && wait > longest / 2, `${url}: ${wait} s`);
  }
});

test("a client over its limit gets Retry-After, in the form of each interface", async (t) => {
  const served = await serveChain({
    seed: 8,
    blocks: 3,
    settings: { rateLimit: 1 },
    rpc: (chain) => ({ handle: handleFor(chain) }),
  });
  t.after(() => served.close());
  const send = (remoteAddress: string, url: string, body?: object) =>
    served.app.inject({
      url,
      remoteAddress,
      method: body === undefined ? "GET" : "POST",
      ...(body && { payload: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
  const call = { jsonrpc: "2.0", id: 1, method: "eth_chainId" };
  assert.equal((await send("10.0.0.1", "/rpc", Array(9).fill(call))).statusCode, 200);

  const refusals = {
    rpc: await send("10.0.0.1", "/rpc", call),
    rest: await send("10.0.0.1", "/api/v2/blocks"),
    action: await send("10.0.0.1", "/api?module=block&action=eth_block_number"),
    exchange: await send("10.0.0.1", "/api/v1/pools"),
  };

  for (const [name, { statusCode, headers }] of Object.entries(refusals)) {
    assert.equal(statusCode, 429, name);
    assert.ok(Number(headers["retry-after"]) >= 1, name);
    assert.equal(headers["access-control-allow-origin"], "*", name);
  }
  assert.equal(refusals.rpc.json<{ error: { code: number } }>().error.code, -32_005);
  assert.equal(typeof refusals.rest.json<{ message: string }>().message, "string");
  assert.equal(refusals.action.json<{ status: string }>().status, "0");
  assert.equal(refusals.exchange.json<{ success: boolean }>().success, false);
  assert.equal((await send("10.0.0.1", "/health")).statusCode, 200);
  assert.equal((await send("10.0.0.2", "/api/v2/blocks")).statusCode, 200);
  for (let count = 0; count < 30; count++) assert.equal((await send("127.0.0.1", "/api/v2/blocks")).statusCode, 200);
});
