import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { Served } from "../support/api.ts";
import { serveChain } from "../support/api.ts";
import { blocksOf } from "../support/plainChain.ts";
import { plainLedger } from "../support/plainLedger.ts";
import { Random } from "../support/random.ts";
import { routesOf } from "../support/routes.ts";
import { firstSeed } from "../support/seed.ts";
import { SimulatedChain } from "../support/simulatedChain.ts";
import { threadCpuMs } from "../support/threadCpu.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 75);

const PIECES = [
  ..."0 1 9 a f g x X - + . , / \\ ? & = # % %00 %25 %2F %2e%2e %zz %c3%28 %F0%9F%A6%84 %EF%BF%BE %0a %20 ..".split(
    " ",
  ),
  "0x",
  "null",
  "latest",
  "1e9",
  "true",
  "__proto__",
  "constructor",
  "%5B%5D",
  "'%20OR%201=1--",
  "<script>",
  "1".repeat(40),
  "a".repeat(64),
  `0x${"A".repeat(40)}`,
  `0x${"b".repeat(64)}`,
  "9007199254740991",
  "9007199254740992",
  "9".repeat(500),
];

const QUERIES = [
  "page",
  "page_size",
  "items_count",
  "anchor",
  "token",
  "q",
  "type",
  "filter",
  "topic",
  "sort",
  "order",
  "apikey",
  "page[]",
  "page_size[a]",
];
/** Including those of `/advanced-filters`. */
const ALL_QUERIES = [
  ...QUERIES,
  ...["transaction_types", "methods", "age_from", "age_to", "address_relation", "amount_from", "amount_to"],
  ...["from_address_hashes_to_include", "to_address_hashes_to_exclude"],
  ...["token_contract_address_hashes_to_include", "token_contract_symbols_to_exclude"],
];
const CHAIN = fuzzedChain();
const TOKEN = [...plainLedger(CHAIN).keys()][0]!;
const TRANSACTION = blocksOf(CHAIN).flatMap(({ block }) => block.transactions)[0]!.hash;
/** 501 is for the transfers of one token of the zero address. 431 is Node's own word for a URL longer than all headers may be. */
const ALLOWED = new Set([200, 400, 404, 414, 422, 431, 501]);

function fuzzedChain(): SimulatedChain {
  const chain = new SimulatedChain({ seed: 52 });
  chain.mine(5);
  return chain;
}

function noise(random: Random): string {
  if (random.chance(0.03))
    return random.pick(["z", "%41", "0", "%F0%9F%A6%84"]).repeat(random.pick([300, 900, 10_000]));
  return Array.from({ length: random.between(1, 4) }, () => random.pick(PIECES)).join("");
}

/** Valid paths for bad queries. */
const TARGETS: Record<string, readonly string[]> = {
  address: [TOKEN, `0x${"1".repeat(40)}`, `0x${"0".repeat(40)}`],
  hash: [TRANSACTION, `0x${"2".repeat(64)}`],
  id: ["3", "0", CHAIN.at(2)!.hash],
};

const filled = (route: string, fill: (name: string) => string) =>
  route.replace(/\{(\w+)\}/g, (_, name: string) => fill(name));

function url(random: Random, routes: readonly string[]): string {
  const route = random.chance(0.05) ? `/${noise(random)}` : random.pick(routes);
  const path = filled(route, (name) => (random.chance(0.5) ? noise(random) : random.pick(TARGETS[name]!)));
  const query = Array.from({ length: random.int(4) }, () => `${random.pick(ALL_QUERIES)}=${noise(random)}`).join("&");
  return `${path}?${path.includes("/search") && random.chance(0.9) ? `q=${noise(random)}&` : ""}${query}`;
}

/** All REST paths from the app's own OpenAPI document, so that none is missing. */
async function restRoutesOf({ app }: Served): Promise<string[]> {
  const isRead = (path: string) =>
    path.startsWith("/api/v2/") && !/\/verification\/via\/|\/key$|\/refetch-metadata$/.test(path);
  const routes = (await routesOf(app)).filter(isRead);
  assert.ok(routes.length >= 34, String(routes.length));
  return routes;
}

test(`bad input is refused in JSON and never breaks anything (seed ${SEED})`, async (t) => {
  const served = await serveChain({ seed: 52, blocks: 5, tokens: true, traces: true });
  t.after(() => served.close());
  await served.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = served.app.server.address() as AddressInfo;
  const routes = await restRoutesOf(served);
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const asked = url(new Random(seed), routes);
    const response = await fetch(`http://127.0.0.1:${port}${asked}`);
    const type = response.headers.get("content-type")!;
    assertRefused(response.status, type, await response.text(), `seed ${seed} ${asked}`);
  }
  assert.equal((await served.get("/api/v2/blocks/5")).status, 200);
});

/** Malformed, over-long and hostile, for a place where an address, a hash or a number belongs. */
const BAD = [
  ...["0x", "0x12", "-1", "1.5", "1e3", "null", "latest", "__proto__", "%00", "%F0%9F%A6%84", "..%2F..", "%20", "0X1"],
  ...[39, 41, 63, 65, 500].map((digits) => `0x${"1".repeat(digits)}`),
  ...["g", "%00", "%F0%9F%A6%84"].map((piece) => `0x${piece.repeat(40)}`),
  "9007199254740992",
  "9".repeat(500),
  "1".repeat(40),
  "a".repeat(3000),
  "a".repeat(10_000),
];

/** One of so many values is put in a parameter, and on another path the next one; all of them where cases are asked for. */
const SHARE = process.env.ORIEL_CASES === undefined ? 8 : 1;

/** Milliseconds that no answer computes for, or waits; one that does is asked for again, as others may have kept the machine busy. */
const SLOW = { threadCpuMs: 250, waited: 5000 };

async function expectSoon({ app }: Served, asked: string): Promise<number> {
  for (let left = 3; ; left--) {
    const [start, computedBefore] = [performance.now(), threadCpuMs()];
    const { statusCode, headers, body } = await app.inject({ method: "GET", url: asked });
    const took = { threadCpuMs: threadCpuMs() - computedBefore, waited: performance.now() - start };
    assertRefused(statusCode, String(headers["content-type"]), body, asked);
    if (took.threadCpuMs < SLOW.threadCpuMs && took.waited < SLOW.waited) return statusCode;
    assert.ok(left > 1, `${asked.slice(0, 200)} took ${JSON.stringify(took)} ms`);
  }
}

test("whatever is in the place of an address, a hash or a number of any path is refused at once", async (t) => {
  const served = await serveChain({ seed: 52, blocks: 5, tokens: true, traces: true });
  t.after(() => served.close());
  for (const route of (await restRoutesOf(served)).filter((path) => path.includes("{"))) {
    for (const bad of BAD) {
      const status = await expectSoon(
        served,
        filled(route, () => bad),
      );
      assert.ok([404, 422].includes(status), `${route} ${bad.slice(0, 50)} answered ${status}`);
    }
  }
});

test("whatever is in any parameter of any path is refused or ignored at once", async (t) => {
  const served = await serveChain({ seed: 52, blocks: 5, tokens: true, traces: true });
  t.after(() => served.close());
  let at = SEED;
  for (const route of await restRoutesOf(served)) {
    const path = filled(route, (name) => TARGETS[name]![0]!);
    at++;
    for (const name of QUERIES) {
      for (const bad of ["", "0", ...BAD]) {
        if (at++ % SHARE === 0) await expectSoon(served, `${path}?${name}=${bad}`);
      }
      if (at % SHARE === 0) await expectSoon(served, `${path}?${name}=1&${name}=2`);
    }
  }
});

function assertRefused(status: number, type: string, body: string, message: string): void {
  assert.ok(ALLOWED.has(status), `${message.slice(0, 200)} answered ${status} ${body}`);
  if (status === 200 && message.split(/[?#]/)[0]!.endsWith("/csv")) {
    assert.match(type, /^text\/csv/, message.slice(0, 200));
    return;
  }
  assert.match(type, /^application\/json/, message.slice(0, 200));
  const answer = JSON.parse(body) as { message?: string; errors?: { source: { pointer: string } }[] };
  if (status !== 200) assert.ok(answer.message, message.slice(0, 200));
  if (status !== 200) assert.doesNotMatch(body, /\bat .*:\d+|\.ts\b|node:|SELECT|SQLITE/, message.slice(0, 200));
  if (status === 422) assert.match(answer.errors![0]!.source.pointer, /^\/[a-z_]+$/);
}

test("each malformed parameter is named", async () => {
  const served = await serveChain({ seed: 53, blocks: 2 });
  const address = `0x${"1".repeat(40)}`;
  const cases: [path: string, pointer: string][] = [
    ["blocks/abc", "/block_hash_or_number_param"],
    ["blocks/0x12", "/block_hash_or_number_param"],
    ["blocks/9007199254740992", "/block_hash_or_number_param"],
    ["blocks/-1", "/block_hash_or_number_param"],
    ["blocks/%F0%9F%A6%84", "/block_hash_or_number_param"],
    [`transactions/${address}`, "/transaction_hash_param"],
    [`transactions/0x${"g".repeat(64)}`, "/transaction_hash_param"],
    [`addresses/${address}0/transactions`, "/address_hash_param"],
    [`addresses/${address.slice(0, -3)}%00/transactions`, "/address_hash_param"],
    [`addresses/${address}/transactions?page=0`, "/page"],
    [`addresses/${address}/transactions?page=1&page=2`, "/page"],
    [`addresses/${address}/transactions?page_size=x`, "/page_size"],
    [`addresses/${address}/transactions?items_count=-5`, "/items_count"],
    [`addresses/${address}/transactions?anchor=5`, "/anchor"],
  ];
  for (const [path, pointer] of cases) {
    const { status, body } = await served.get(`/api/v2/${path}`);
    assert.equal(status, 422, path);
    assert.equal(body.message, "Invalid parameter(s)");
    const [fault] = body.errors as { title: string; source: { pointer: string }; detail: string }[];
    assert.deepEqual([fault!.title, fault!.source.pointer], ["Invalid value", pointer]);
    assert.match(fault!.detail, /^Invalid format\. Expected /);
  }
  await served.close();
});
