import assert from "node:assert/strict";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { fromHex } from "../../src/chain/encoding/hex.ts";
import type { Json, Served } from "../support/api.ts";
import { serveChain } from "../support/api.ts";
import { ChainOracle } from "../support/chainOracle.ts";
import { observeAll } from "../support/namedTokens.ts";
import { simulatedPlainState } from "../support/simulatedState.ts";
import type { Lists } from "../support/site.ts";
import { listsOf } from "../support/site.ts";
import { SPECIFIED_PATHS } from "../support/specifiedPaths.ts";
import type { WireReceipt } from "../support/wireForm.ts";

/** Rows of the specification about the REST API, verbatim. It compiles only if each has a check. */
const ROWS = {
  "1": ["REST under /api/v2 and no key", "prices are to be ignored", "responses can be cached"],
  "2.1": ["page", "page_size", "total_pages", "total_count"],
  "2.2": ["address", "decimals", "holders", "name", "symbol", "type", "total supply", "exchange_rate", "coin_price"],
  "4.1": [
    ...SPECIFIED_PATHS,
    "all are GET, without a body, and answer JSON",
    "parameter page",
    "parameter page_size",
    "parameter q",
    "parameters type and filter",
  ],
  "5": ["1 no API key"],
  "6": ["1 no events and no WebSocket", "2 logs are read by polling"],
  "8": ["default page size 50"],
  "9": ["1 the version is in the path"],
} as const;

type Rows = typeof ROWS;
type Check = (chain: Known) => Promise<void>;

/** A served chain, and what there is on it. */
interface Known {
  readonly served: Served;
  readonly api: Lists;
  readonly oracle: ChainOracle;
  readonly port: number;
  /** A transaction with logs, one who sent many, a contract that emitted many, and a token that many have. */
  readonly hash: string;
  readonly sender: string;
  readonly emitter: string;
  readonly token: string;
  readonly holder: string;
}

const mostFrequent = (values: readonly string[]) =>
  [...Map.groupBy(values, (value) => value)].sort(([, a], [, b]) => b.length - a.length)[0]![0];

async function open(): Promise<Known> {
  const traffic = { addresses: 12, fresh: 0.2, honestTokens: 1, transactions: [2, 6] as const };
  const served = await serveChain({ seed: 91, blocks: 60, tokens: true, traffic });
  await served.app.listen({ host: "127.0.0.1", port: 0 });
  const [token] = served.chain.honestTokens as [string];
  const id = await served.store.latest.addresses.id(fromHex(token));
  const namesOf = (isHonest: boolean) => (isHonest ? { name: "Honest", symbol: "HON" } : { name: null, symbol: null });
  const reported = async (address: string) => ({ ...namesOf(address === token), decimals: "18", supply: "1" });
  const oracle = await ChainOracle.read(served.chain, { ...simulatedPlainState(served.chain), token: reported });
  await observeAll(served.store, (one) => namesOf(one === id));
  return {
    served,
    api: listsOf((path) => served.get(`/api/v2/${path}`)),
    oracle,
    port: (served.app.server.address() as AddressInfo).port,
    hash: oracle.logs.at(-1)!.transaction_hash,
    sender: mostFrequent(oracle.transactions.map(({ tx }) => tx.from)),
    emitter: mostFrequent(oracle.logs.map(({ address }) => address)),
    token,
    holder: oracle.holders(oracle.tokens.ledger.get(token)!)[0]!.holder,
  };
}

const record = async ({ api }: Known, path: string): Promise<Json> => {
  const { status, body } = await api.fetch(path);
  assert.equal(status, 200, path);
  return body;
};

/** Every list of the REST API with the number of its items, or some that is long. */
const listsOfAll = ({ oracle, hash, sender, emitter, token, holder }: Known): [path: string, count: number][] => [
  ["main-page/blocks", oracle.chain.length],
  ["main-page/transactions", oracle.transactions.length],
  ["blocks", oracle.chain.length],
  ["transactions", oracle.transactions.length],
  [`addresses/${sender}/transactions`, oracle.ofAddress(sender).transactions.length],
  [`addresses/${emitter}/logs`, oracle.ofAddress(emitter).logs.length],
  [`addresses/${holder}/token-balances`, oracle.balances(holder).length],
  [`addresses/${holder}/token-transfers`, oracle.ofAddress(holder).transfers.length],
  [`transactions/${hash}/logs`, oracle.logs.filter((log) => log.transaction_hash === hash).length],
  [`tokens/${token}/holders`, oracle.holders(oracle.tokens.ledger.get(token)!).length],
  [`tokens/${token}/transfers`, oracle.tokens.transfers.filter((transfer) => transfer.token === token).length],
  ["blocks/7/transactions", oracle.transactions.filter(({ block }) => block.number === 7).length],
  ["tokens", oracle.tokens.ledger.size],
  ["search?q=honest", 1],
];

const envelopeHas =
  (field: string, value: (count: number) => number): Check =>
  async (known) => {
    for (const [path, count] of listsOfAll(known)) {
      const page = await known.api.list(path, { page_size: 2 });
      assert.equal(page[field], value(count), path);
    }
  };

const tokenHas =
  (field: string, value: (known: Known) => string | null): Check =>
  async (known) =>
    assert.equal((await record(known, `tokens/${known.token}`))[field], value(known));

const withoutDecoded = ({ decoded_input, method, ...rest }: Json) => rest;

const CHECKS: { [Section in keyof Rows]: Record<Rows[Section][number], Check> } = {
  "1": {
    "REST under /api/v2 and no key": async (known) => {
      for (const [path] of listsOfAll(known)) await known.api.list(path);
    },
    "prices are to be ignored": async (known) => {
      const token = await record(known, `tokens/${known.token}`);
      const stats = await record(known, "stats");
      assert.deepEqual([token.exchange_rate, token.coin_price, stats.coin_price], [null, null, null]);
    },
    "responses can be cached": async ({ port }) => {
      const url = `http://127.0.0.1:${port}/api/v2/blocks/3`;
      const etag = (await fetch(url)).headers.get("etag")!;
      const again = await fetch(url, { headers: { "if-none-match": etag } });
      assert.deepEqual([again.status, await again.text()], [304, ""]);
    },
  },
  "2.1": {
    page: async (known) => {
      for (const [path] of listsOfAll(known)) {
        for (const page of [1, 2, 999]) assert.equal((await known.api.list(path, { page })).page, page, path);
      }
    },
    page_size: envelopeHas("page_size", () => 2),
    total_pages: envelopeHas("total_pages", (count) => Math.ceil(count / 2)),
    total_count: envelopeHas("total_count", (count) => count),
  },
  "2.2": {
    address: async (known) => {
      const { address } = await record(known, `tokens/${known.token}`);
      assert.equal(String(address).toLowerCase(), known.token);
    },
    decimals: tokenHas("decimals", () => "18"),
    holders: tokenHas("holders", ({ oracle, token }) =>
      String(oracle.holders(oracle.tokens.ledger.get(token)!).length),
    ),
    name: tokenHas("name", () => "Honest"),
    symbol: tokenHas("symbol", () => "HON"),
    type: tokenHas("type", () => "ERC-20"),
    "total supply": tokenHas("total_supply", () => "1"),
    exchange_rate: tokenHas("exchange_rate", () => null),
    coin_price: tokenHas("coin_price", () => null),
  },
  "4.1": {
    "/stats": async (known) => {
      const stats = await record(known, "stats");
      assert.ok((stats.average_block_time as number) > 0);
      assert.deepEqual(Object.keys(stats.gas_prices as Json).sort(), ["average", "fast", "slow"]);
      assert.equal(stats.total_transactions, String(known.oracle.transactions.length));
    },
    "/main-page/blocks": async (known) => {
      const { items } = await known.api.list("main-page/blocks");
      const newest = Array.from({ length: 50 }, (_, at) => known.oracle.block(known.oracle.height - at));
      assert.deepEqual(items, newest);
    },
    "/main-page/transactions": async (known) => {
      const { items } = await known.api.list("main-page/transactions");
      const newest = known.oracle.transactions.slice(-50).reverse();
      assert.deepEqual(
        items.map(withoutDecoded),
        newest.map((mined) => known.oracle.listed(mined)),
      );
    },
    "/blocks/{number}": async (known) => assert.deepEqual(await record(known, "blocks/7"), known.oracle.block(7)),
    "/transactions/{hash}": async (known) => {
      const body = await record(known, `transactions/${known.hash}`);
      assert.deepEqual([body.hash, body.status, "decoded_input" in body], [known.hash, "ok", true]);
    },
    "/transactions/{hash}/logs": async ({ api, oracle, hash }) => {
      const { items } = await api.list(`transactions/${hash}/logs`);
      const expected = oracle.logs.filter((log) => log.transaction_hash === hash);
      assert.deepEqual(
        items.map(({ decoded, ...log }) => log),
        expected.map((log) => oracle.log(log)),
      );
    },
    "/addresses/{address}": async (known) => {
      const { coin_balance, is_contract, is_verified, name } = await record(known, `addresses/${known.token}`);
      const balance = await known.oracle.state.balance(known.token);
      assert.deepEqual([coin_balance, is_contract, is_verified, name], [String(balance), true, false, "Honest"]);
    },
    "/addresses/{address}/transactions": async ({ api, oracle, sender }) => {
      const { items } = await api.list(`addresses/${sender}/transactions`, { page_size: 1000 });
      const expected = oracle.ofAddress(sender).transactions.map((mined) => oracle.listed(mined));
      assert.deepEqual(
        items.map(withoutDecoded).map(({ hash }) => hash),
        expected.map(({ hash }) => hash),
      );
    },
    "/addresses/{address}/token-balances": async ({ api, oracle, holder }) => {
      const { items } = await api.list(`addresses/${holder}/token-balances`, { page_size: 1000 });
      const shown = items.map((item) => ({ ...item, token: (item.token as Json).address_hash }));
      assert.deepEqual(shown, oracle.balances(holder));
    },
    "/addresses/{address}/logs": async ({ api, oracle, emitter }) => {
      const { items } = await api.list(`addresses/${emitter}/logs`, { page_size: 1000 });
      const places = ({ block_number, index }: Json) => `${block_number} ${index}`;
      assert.deepEqual(
        items.map(places),
        oracle.ofAddress(emitter).logs.map((log) => places({ ...log })),
      );
    },
    "/smart-contracts/{address}": async (known) => {
      assert.deepEqual(await record(known, `smart-contracts/${known.token}`), await known.oracle.contract(known.token));
    },
    "/tokens/{address}": async (known) => {
      const { name, symbol, decimals, total_supply, holders } = await record(known, `tokens/${known.token}`);
      for (const value of [name, symbol, decimals, total_supply, holders]) assert.equal(typeof value, "string");
    },
    "/tokens/{address}/holders": async ({ api, oracle, token }) => {
      const { items } = await api.list(`tokens/${token}/holders`, { page_size: 1000 });
      const expected = oracle.holders(oracle.tokens.ledger.get(token)!);
      assert.deepEqual(
        items.map(({ value }) => value),
        expected.map(({ value }) => String(value)),
      );
    },
    "/search?q={query}": async ({ api, oracle, token, hash, sender }) => {
      for (const [query, type] of [
        ["hon", "token"],
        ["HONEST", "token"],
        [token, "token"],
        [sender, "address"],
        [hash, "transaction"],
        [oracle.chain.at(3)!.hash, "block"],
      ] as const) {
        assert.equal((await api.list(`search?q=${query}`)).items[0]!.type, type, query);
      }
    },
    "all are GET, without a body, and answer JSON": async (known) => {
      for (const row of ROWS["4.1"].filter((path) => path.startsWith("/"))) {
        const path = `/api/v2${filled(row, known)}`;
        const answer = await fetch(`http://127.0.0.1:${known.port}${path}`);
        await answer.json();
        const posted = await fetch(`http://127.0.0.1:${known.port}${path}`, { method: "POST", body: "{}" });
        await posted.json();
        const type = answer.headers.get("content-type")!;
        assert.deepEqual([answer.status, type.split(";")[0], posted.status], [200, "application/json", 405], path);
      }
    },
    "parameter page": async (known) => {
      for (const [path] of listsOfAll(known)) {
        const { items } = await known.api.list(path, { page_size: 4 });
        const second = await known.api.list(path, { page: 2, page_size: 2 });
        assert.deepEqual(second.items, items.slice(2), path);
      }
    },
    "parameter page_size": async (known) => {
      for (const [path, count] of listsOfAll(known)) {
        const { items } = await known.api.list(path, { page_size: 3 });
        assert.equal(items.length, Math.min(3, count), path);
      }
    },
    "parameter q": async ({ api }) => {
      assert.equal((await api.fetch("search")).status, 422);
      assert.equal((await api.list("search?q=honest")).total_count, 1);
    },
    "parameters type and filter": async ({ api, sender }) => {
      const path = `addresses/${sender}/transactions`;
      const ignored = await api.list(path, { type: "token_transfer", filter: "from" });
      assert.deepEqual(ignored, await api.list(path));
      assert.deepEqual(await api.list(path, { type: "%00", filter: "\u{1f984}" }), ignored);
    },
  },
  "5": {
    "1 no API key": async (known) => {
      for (const [path] of listsOfAll(known)) {
        const { items } = await known.api.list(path);
        assert.deepEqual((await known.api.list(path, { apikey: "any" })).items, items, path);
      }
    },
  },
  "6": {
    "1 no events and no WebSocket": async ({ port }) => {
      for (const path of ["/api/v2/blocks", "/api/v2/ws", "/socket/v2/websocket", "/"]) {
        assert.notEqual(await upgrade(port, path), 101, path);
      }
    },
    "2 logs are read by polling": async () => {
      const served = await serveChain({ seed: 92, blocks: 5 });
      const { chain } = served;
      const emitter = chain.at(5)!.receipts.flatMap(({ logs }) => logs)[0]!.address;
      const emits = ({ logs }: WireReceipt) => logs.some(({ address }) => address === emitter);
      const polled = async () => (await served.get(`/api/v2/addresses/${emitter}/logs`)).body.total_count as number;
      const before = await polled();
      do chain.mine(1);
      while (!chain.head.receipts.some(emits));
      await served.index();
      const { transactionHash } = chain.head.receipts.find(emits)!;
      assert.ok((await polled()) > before);
      assert.equal((await served.get(`/api/v2/transactions/${transactionHash}/logs`)).status, 200);
      await served.close();
    },
  },
  "8": {
    "default page size 50": async (known) => {
      let full = 0;
      for (const [path] of listsOfAll(known)) {
        const { page_size, items, total_count } = await known.api.list(path);
        assert.deepEqual([page_size, items.length], [50, Math.min(50, total_count)], path);
        if (total_count > 50) full++;
      }
      assert.ok(full > 4, `${full} lists have more`);
    },
  },
  "9": {
    "1 the version is in the path": async ({ served }) => {
      assert.equal((await served.get("/api/v2/stats")).status, 200);
      for (const path of ["/api/v1", "/api/v3", "/api", "/v2", ""]) {
        for (const what of ["/stats", "/blocks", "/blocks/1", "/search?q=1"]) {
          assert.equal((await served.get(`${path}${what}`)).status, 404, `${path}${what}`);
        }
      }
    },
  },
};

function filled(row: string, { hash, sender, token }: Known): string {
  const address = row.startsWith("/tokens") || row.startsWith("/smart") ? token : sender;
  const values: Record<string, string> = { number: "7", hash, address, query: "honest" };
  return row.replace(/\{(\w+)\}/g, (_, name: string) => values[name]!);
}

function upgrade(port: number, path: string): Promise<number | undefined> {
  const headers = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, headers });
    asked.on("response", (response) => resolve(response.resume().statusCode));
    asked.on("upgrade", ({ statusCode }, socket) => resolve(socket.destroy().destroyed ? statusCode : 101));
    asked.on("error", reject).end();
  });
}

let known: Known;
before(async () => {
  known = await open();
});
after(() => known.served.close());

for (const [section, rows] of Object.entries(ROWS)) {
  const checks = CHECKS[section as keyof Rows] as Readonly<Record<string, Check>>;
  for (const row of rows) test(`${section} ${row}`, () => checks[row]!(known));
}
