import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { serveChain } from "./support/api.ts";
import { watchStatements } from "./support/watchStatements.ts";

let served: Awaited<ReturnType<typeof serveChain>>;

before(async () => {
  served = await serveChain({ seed: 3, blocks: 20, tokens: true });
});

after(() => served.close());

const get = (query: string, headers: Record<string, string> = {}) =>
  served.app.inject({ method: "GET", url: `/api?${query}`, headers });

test("what follows from the index has a tag that holds until the index changes", async () => {
  const { miner } = served.chain.at(5)!.block;
  const lists = [
    "module=logs&action=getLogs&fromBlock=0&toBlock=latest&topic0=0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
    `module=account&action=txlist&address=${String(miner)}`,
  ];
  for (const query of lists) {
    const first = await get(query);
    const again = await get(query);
    const { etag } = first.headers;

    assert.equal(typeof etag, "string");
    assert.equal(again.headers.etag, etag);
    assert.equal(again.body, first.body);
    assert.equal((await get(query, { "if-none-match": String(etag) })).statusCode, 304);
    served.chain.mine(1);
    await served.index();
    const later = await get(query, { "if-none-match": String(etag) });
    assert.equal(later.statusCode, 200);
    assert.notEqual(later.headers.etag, etag);
  }
});

test("an unchanged response of any interface runs no statement", async () => {
  const { number, miner } = served.chain.at(5)!.block;
  const urls = [
    "/api/v2/blocks",
    `/api/v2/blocks/${Number(number)}`,
    `/api/v2/addresses/${String(miner)}/transactions`,
    `/api?module=account&action=txlist&address=${String(miner)}`,
  ];
  const statements: string[] = [];

  for (const url of urls) {
    const { etag } = (await served.app.inject(url)).headers;
    await served.app.inject(url);
    const unwatch = watchStatements(served.store.database, ({ sql }) => statements.push(sql));
    const unchanged = await served.app.inject({ url, headers: { "if-none-match": String(etag) } });
    const kept = await served.app.inject(url);
    unwatch();

    assert.deepEqual([unchanged.statusCode, kept.statusCode], [304, 200], url);
    assert.deepEqual(statements, [], url);
  }
});
