import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { serveChain } from "../support/api.ts";
import { plainLedger } from "../support/plainLedger.ts";
import { Random } from "../support/random.ts";
import { SimulatedChain } from "../support/simulatedChain.ts";

const SEED = Number(process.env.ORIEL_SEED ?? Math.floor(Math.random() * 2 ** 31));
const CASES = Number(process.env.ORIEL_CASES ?? 1500);

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
  "apikey",
  "page[]",
  "page_size[a]",
];
const PATHS = [
  "/api/v2/blocks/",
  "/api/v2/transactions/",
  "/api/v2/addresses/",
  "/api/v2/tokens/",
  "/api/v2/smart-contracts/",
  "/api/v2/blobs/",
  "/api/v2/tokens",
  "/api/v2/",
  "/",
];
const LISTS = [
  "/transactions",
  "/logs",
  "/counters",
  "/tabs-counters",
  "/blobs",
  "/blocks-validated",
  "/token-balances",
  "/token-transfers",
  "/holders",
  "/transfers",
];
/** One that the fuzzed chain has. */
const TOKEN = [...plainLedger(fuzzedChain()).keys()][0]!;
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

const TARGETS = [
  `/api/v2/addresses/0x${"1".repeat(40)}`,
  `/api/v2/addresses/0x${"0".repeat(40)}`,
  `/api/v2/tokens/${TOKEN}`,
  "/api/v2/blocks/3",
];
/** Lists of the whole chain. */
const WHOLE = [
  "/api/v2/blocks",
  "/api/v2/transactions",
  "/api/v2/main-page/blocks",
  "/api/v2/main-page/transactions",
  "/api/v2/stats",
];

const SEARCHES = ["/api/v2/search", "/api/v2/search/quick", "/api/v2/search/check-redirect"];

function url(random: Random): string {
  const path = random.pick(PATHS) + noise(random) + random.pick(["", "", ...LISTS]);
  const list = random.chance(0.3) ? random.pick(WHOLE) : random.pick(TARGETS) + random.pick(LISTS);
  const query = Array.from({ length: random.int(4) }, () => `${random.pick(QUERIES)}=${noise(random)}`).join("&");
  if (random.chance(0.15)) return `${random.pick(SEARCHES)}?q=${noise(random)}&${query.replace(/\bq=/g, "r=")}`;
  return `${random.chance(0.4) ? list : path}?${query}`;
}

test(`bad input is refused in JSON and never breaks anything (seed ${SEED})`, async (t) => {
  const served = await serveChain({ seed: 52, blocks: 5, tokens: true });
  t.after(() => served.close());
  await served.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = served.app.server.address() as AddressInfo;
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const asked = url(new Random(seed));
    const response = await fetch(`http://127.0.0.1:${port}${asked}`);
    const type = response.headers.get("content-type")!;
    assertRefused(response.status, type, await response.text(), `seed ${seed} ${asked}`);
  }
  assert.equal((await served.get("/api/v2/blocks/5")).status, 200);
});

function assertRefused(status: number, type: string, body: string, message: string): void {
  assert.ok(ALLOWED.has(status), `${message.slice(0, 200)} answered ${status} ${body}`);
  assert.match(type, /^application\/json/, message.slice(0, 200));
  const answer = JSON.parse(body) as { message?: string; errors?: { source: { pointer: string } }[] };
  if (status !== 200) assert.ok(answer.message, message.slice(0, 200));
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
