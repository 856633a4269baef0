import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, Served } from "../support/api.ts";
import { serveChain } from "../support/api.ts";
import { Random } from "../support/random.ts";
import { pick } from "../support/restOracle.ts";
import { firstSeed } from "../support/seed.ts";
import { simulatedSource } from "../support/simulatedSource.ts";
import { expectedBaseFee, expectedDay, expectedDays, expectedStats, expectedTips } from "../support/statsOracle.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 2);

async function body(served: Served, path: string): Promise<Json> {
  const { status, body } = await served.get(`/api/v2/${path}`);
  assert.equal(status, 200, path);
  return body;
}

async function fullPrices(served: Served): Promise<Record<string, Json>> {
  const headers = { "updated-gas-oracle": "true" };
  const answer = await served.app.inject({ method: "GET", url: "/api/v2/stats", headers });
  assert.match(String(answer.headers.vary), /updated-gas-oracle/);
  return answer.json().gas_prices;
}

async function expectFigures(served: Served, since: number, message: string): Promise<void> {
  const { chain } = served;
  const stats = expectedStats(chain, since);
  const answer = await body(served, "stats");
  assert.deepEqual(pick(answer, stats), stats, message);

  const base = expectedBaseFee(chain);
  const tips = expectedTips(chain, since);
  const full = await fullPrices(served);
  for (const speed of ["slow", "average", "fast"] as const) {
    const tip = tips[speed];
    assert.equal((answer.gas_prices as Json)[speed], Number(base + tip) / 1e9, message);
    assert.deepEqual(full[speed], {
      price: Number(base + tip) / 1e9,
      time: null,
      fiat_price: null,
      base_fee: Number(base) / 1e9,
      priority_fee: Number(tip) / 1e9,
      priority_fee_wei: tip.toString(),
      wei: (base + tip).toString(),
    });
  }
  assert.deepEqual(
    await body(served, "stats/charts/transactions"),
    { chart_data: expectedDays(chain, since) },
    message,
  );
  assert.deepEqual(await body(served, "transactions/stats"), expectedDay(chain, since), message);
}

test(`4.1 /stats and its charts are the sums of the chain, also after it forked (seed ${SEED})`, async () => {
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const random = new Random(seed);
    const since = seed % 3 === 0 ? 60 : 0;
    const blockTime = random.pick([[1, 12] as const, [200, 900] as const, [9000, 40_000] as const]);
    const traffic = { blockTime, deposits: seed % 2 === 0, transactions: [0, random.between(1, 40)] as const };
    const served = await serveChain({ seed, blocks: 130, fromBlock: since, traffic });
    await expectFigures(served, since, `seed ${seed}`);
    for (let round = 0; round < 4; round++) {
      const depth = random.int(20);
      served.chain.fork(depth, depth + random.int(6));
      await served.index();
      await expectFigures(served, since, `seed ${seed} round ${round}`);
    }
    await served.close();
  }
});

test("the addresses that /stats counts are those of the index", async () => {
  const served = await serveChain({ seed: 41, blocks: 20 });
  const status = (await served.get("/status")).body.totals as Json;
  assert.equal((await body(served, "stats")).total_addresses, String(status.addresses));
  await served.close();
});

test("the fees of a day of many blocks are exact while the chain grows and forks", async () => {
  const traffic = { blockTime: [60, 200] as const, transactions: [0, 2] as const };
  const served = await serveChain({ seed: 42, blocks: 1100, traffic });
  for (const [depth, length] of [
    [0, 0],
    [0, 3],
    [200, 201],
    [5, 300],
    [250, 260],
  ] as const) {
    served.chain.fork(depth, length);
    await served.index();
    assert.deepEqual(await body(served, "transactions/stats"), expectedDay(served.chain));
  }
  await served.close();
});

test("a short chain has figures, and an empty index has none", async () => {
  const served = await serveChain({ seed: 43 });
  const empty = await body(served, "stats");
  assert.deepEqual(
    [empty.total_blocks, empty.transactions_today, empty.average_block_time, empty.gas_prices, empty.block_number],
    ["0", "0", 0, null, null],
  );
  assert.deepEqual(await body(served, "stats/charts/transactions"), { chart_data: [] });
  assert.equal((await body(served, "transactions/stats")).transaction_fees_sum_24h, "0");
  for (let blocks = 0; blocks < 3; blocks++) {
    served.chain.mine(blocks === 0 ? 0 : 1);
    await served.index();
    await expectFigures(served, 0, `${blocks} blocks`);
  }
  await served.close();
});

test("without prices the chart of the market is empty", async () => {
  const served = await serveChain({ seed: 44, blocks: 2 });
  assert.deepEqual(await body(served, "stats/charts/market"), { chart_data: [], available_supply: "0" });
  await served.close();
});

test("the indexing status says how much of the chain is indexed", async () => {
  const served = await serveChain({
    seed: 45,
    blocks: 9,
    source: (chain) => simulatedSource(chain, { authoritative: true }),
  });
  const done = await body(served, "main-page/indexing-status");
  assert.deepEqual(done, {
    finished_indexing: true,
    finished_indexing_blocks: true,
    indexed_blocks_ratio: "1.0000",
    indexed_internal_transactions_ratio: null,
  });
  await served.close();

  const behind = await serveChain({ seed: 45, blocks: 9, traces: true });
  behind.chain.mine(20);
  assert.deepEqual(await body(behind, "main-page/indexing-status"), {
    finished_indexing: false,
    finished_indexing_blocks: false,
    indexed_blocks_ratio: "0.3333",
    indexed_internal_transactions_ratio: "0.3333",
  });
  await behind.close();

  const traced = await serveChain({ seed: 45, blocks: 9, traces: true });
  assert.equal((await body(traced, "main-page/indexing-status")).indexed_internal_transactions_ratio, "1.0000");
  await traced.close();

  const empty = await serveChain({ seed: 45 });
  assert.equal((await body(empty, "main-page/indexing-status")).indexed_blocks_ratio, "0.0000");
  await empty.close();
});

test("the version is that of the program", async () => {
  const served = await serveChain({ seed: 46, settings: { version: "9.8.7" } });
  assert.deepEqual(await body(served, "config/backend-version"), { backend_version: "9.8.7" });
  await served.close();
});

test("the configuration is that of the chain and of the files it serves", async () => {
  const served = await serveChain({ seed: 46, blocks: 3 });
  assert.deepEqual(await body(served, "config/backend"), { chain_type: "ethereum", chain_id: "677" });
  assert.deepEqual(await body(served, "config/csv-export"), { limit: 10_000, async_enabled: false });
  assert.ok("blob_gas_used" in (await body(served, "blocks/1")));
  await served.close();
});

test("a countdown says how far a block is away, at the pace of the chain", async () => {
  const served = await serveChain({ seed: 44, blocks: 30 });
  const { average_block_time } = await body(served, "stats");
  const height = served.chain.head.number;

  assert.deepEqual(await body(served, `blocks/${height + 12}/countdown`), {
    current_block: height,
    countdown_block: height + 12,
    remaining_blocks: 12,
    estimated_time_in_sec: (12 * (average_block_time as number)) / 1000,
  });
  const mined = await served.get(`/api/v2/blocks/${height}/countdown`);
  assert.deepEqual([mined.status, mined.body], [404, { message: "Block number already mined" }]);
  for (const id of [served.chain.head.hash, "1.5", "-1", "9".repeat(20)]) {
    assert.equal((await served.get(`/api/v2/blocks/${id}/countdown`)).status, 422, id);
  }
  await served.close();
});
