import assert from "node:assert/strict";
import { test } from "node:test";
import { serveChain } from "../../../test/support/api.ts";
import { autocommit } from "../../../test/support/autocommit.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";

test("the process says that it lives whatever the index does", async () => {
  const served = await serveChain({ seed: 41 });
  const { status, body } = await served.get("/health");
  assert.deepEqual([status, body], [200, { status: "ok" }]);
  await served.close();
});

test("it is ready when the indexer runs and is near the head, and says why it is not", async () => {
  const served = await serveChain({ seed: 42 });
  const reason = async () => {
    const { status, body } = await served.get("/ready");
    assert.equal(status, body.reason === undefined ? 200 : 503);
    return body.reason;
  };
  assert.match(String(await reason()), /nothing is indexed/);
  served.chain.mine(10);
  await served.index();
  assert.equal(await reason(), undefined);
  await served.store.setMeta({ indexer: JSON.stringify({ state: "stopped", code: "deep_reorg" }) });
  assert.equal(await reason(), "the indexer is stopped");
  const message = "block 4: receipt.status: expected 0x0 or 0x1, the node sent 7";
  await served.store.setMeta({ indexer: JSON.stringify({ state: "waiting", code: "upstream_invalid", message }) });
  assert.equal(await reason(), `the indexer is waiting: ${message}`);
  await served.close();
});

test("it is not ready while it is far behind or the node is silent", async () => {
  const behind = await serveChain({ seed: 43, blocks: 3 });
  behind.chain.mine(6);
  assert.match(String((await behind.get("/ready")).body.reason), /6 blocks behind/);
  await behind.close();

  const silent = await serveChain({
    seed: 43,
    blocks: 3,
    source: (chain) => ({ ...simulatedSource(chain), head: () => new Promise(() => {}) }),
  });
  const { status, body } = await silent.get("/ready");
  assert.deepEqual([status, body.reason], [503, "the node does not answer"]);
  assert.equal((await silent.get("/status")).body.head, null);
  await silent.close();
});

test("a replica without a node is ready by its indexer alone", async () => {
  const served = await serveChain({ seed: 44, blocks: 3, source: () => undefined });
  assert.equal((await served.get("/ready")).status, 200);
  await served.close();
});

test("the status names head, index, stages, checks and totals", async () => {
  const served = await serveChain({ seed: 45, blocks: 12, fromBlock: 2 });
  const { chain, store } = served;
  const { body } = await served.get("/status");
  const { totals, digest } = (await store.latest.blocks.tip())!;
  const { uptime_seconds, version, integrity, ...rest } = body;

  assert.deepEqual(rest, {
    chain_id: 677,
    chain_name: "Simulated",
    head: { number: 12, hash: chain.head.hash },
    indexed: { number: 12, hash: chain.head.hash, timestamp: Number(chain.head.block.timestamp) },
    since_block: 2,
    lag: 0,
    disagreement: null,
    forked_at: null,
    digest: toHex(digest),
    indexer: { state: "running" },
    threads: [],
    process: null,
    writer: null,
    index_age_seconds: null,
    upstreams: null,
    stages: [{ name: "core", version: 1, block: 12, digest: toHex(digest) }],
    omitted_transfers: null,
    unlisted_logs: null,
    unread_exchanges: [],
    traces: null,
    verification: {
      rounds: 0,
      next_block: 0,
      damaged_blocks: 0,
      first_damaged: null,
      differences: 0,
      problem: null,
    },
    integrity_mode: "auto",
    totals: {
      blocks: 11,
      transactions: totals.transactions,
      logs: totals.logs,
      addresses: totals.addresses,
      contracts: totals.contracts,
      event_signatures: totals.signatures,
      gas_used: String(totals.gasUsed),
    },
  });
  assert.match(String(version), /^\d+\.\d+\.\d+/);
  assert.ok(Number.isInteger(uptime_seconds));
  assert.deepEqual((integrity as Record<string, unknown>).blockHash, { held: 11, failed: 0 });
  await served.close();
});

test("the status and the metrics say what was left out of blocks with too many transfers", async () => {
  const served = await serveChain({ seed: 44, blocks: 6 });
  const columns = ["block", "transfers", "tokens", "busiest", "all_blocks", "all_transfers"];
  await autocommit(served.store.database).insert("omitted_transfer", columns, [
    [5, 900, 2, new Uint8Array(20).fill(1), 3, 1000],
  ]);

  const { body } = await served.get("/status");
  const metrics = await served.app.inject({ method: "GET", url: "/metrics" });

  assert.deepEqual(body.omitted_transfers, {
    blocks: 3,
    transfers: 1000,
    last: { block: 5, transfers: 900, tokens: 2, busiest_token: "0x0101010101010101010101010101010101010101" },
  });
  assert.match(metrics.body, /oriel_omitted_transfers\{[^}]*\} 1000/);
  await served.close();
});

test("the status says how many logs are in no list", async () => {
  const served = await serveChain({ seed: 44, blocks: 6 });
  await autocommit(served.store.database).insert(
    "unlisted_log",
    ["block", "count"],
    [
      [4, 70],
      [5, 30],
    ],
  );

  assert.deepEqual((await served.get("/status")).body.unlisted_logs, { blocks: 2, logs: 100 });
  await served.close();
});

test("before anything is indexed the status says so", async () => {
  const served = await serveChain({ seed: 46 });
  const { status, body } = await served.get("/status");
  assert.equal(status, 200);
  assert.deepEqual(
    [body.indexed, body.since_block, body.lag, body.totals, body.digest],
    [null, null, null, null, null],
  );
  assert.deepEqual(body.indexer, { state: "not started" });
  await served.close();
});

test("errors are reported without the node's URL", async () => {
  const served = await serveChain({ seed: 47, blocks: 2 });
  const { code, message } = new ChainError("upstream_unavailable", "POST https://user:key@node.example/v3/abc failed");
  await served.store.setMeta({ indexer: JSON.stringify({ state: "waiting", code, message }) });
  const { body } = await served.get("/status");
  assert.deepEqual(body.indexer, { state: "waiting", code, message: "POST (url) failed" });
  await served.close();
});

const COUNT = "oriel_http_request_duration_seconds_count";

test("metrics cover the index, the node, the requests by route and the process", async () => {
  const served = await serveChain({ seed: 48, blocks: 9 });
  served.chain.mine(3);
  await served.get("/api/v2/blocks/1");
  await served.get("/api/v2/blocks/2");
  await served.get("/api/v2/blocks/x");
  await served.get("/nothing");
  const response = await served.app.inject("/metrics");
  assert.equal(response.statusCode, 200);
  assert.match(String(response.headers["content-type"]), /^text\/plain/);
  const value = (line: string) => {
    const found = response.body.split("\n").find((text) => text.startsWith(line));
    return found === undefined ? undefined : Number(found.split(" ").at(-1));
  };

  assert.equal(value("oriel_indexed_block"), 9);
  assert.equal(value("oriel_head_block"), 12);
  assert.equal(value("oriel_lag_blocks"), 3);
  assert.equal(value("oriel_transactions"), (await served.store.latest.blocks.tip())!.totals.transactions);
  assert.ok(value("oriel_store_bytes")! > 0);
  const count = (route: string, status: string) =>
    Number(
      response.body
        .split("\n")
        .find((line) => [COUNT, `route="${route}"`, `status="${status}"`].every((part) => line.includes(part)))
        ?.split(" ")
        .at(-1),
    );
  assert.equal(count("/api/v2/blocks/:id", "2xx"), 2);
  assert.equal(count("/api/v2/blocks/:id", "4xx"), 1);
  assert.equal(count("none", "4xx"), 1);
  assert.ok(value("process_resident_memory_bytes")! > 0);
  assert.ok(value("nodejs_eventloop_lag_p99_seconds") !== undefined);
  await served.close();
});

test("two networks in one process have metrics of their own", async () => {
  const [one, two] = [await serveChain({ seed: 49, blocks: 2 }), await serveChain({ seed: 50, blocks: 5 })];
  assert.match((await one.app.inject("/metrics")).body, /^oriel_indexed_block\{chain_id="677"\} 2$/m);
  assert.match((await two.app.inject("/metrics")).body, /^oriel_indexed_block\{chain_id="677"\} 5$/m);
  await one.close();
  await two.close();
});
