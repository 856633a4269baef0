import assert from "node:assert/strict";
import { test } from "node:test";
import { createApp } from "../src/api/app.ts";
import type { Block } from "../src/chain/block/block.ts";
import { fromHex } from "../src/chain/encoding/hex.ts";
import { auditStore } from "../src/store/audit/audit.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import { openStore } from "../src/store/openStore.ts";
import { MAX_BLOCK } from "../src/store/rows/position.ts";
import type { Store } from "../src/store/store.ts";
import { SETTINGS, serveChain } from "./support/api.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import type { PlainBlock, PlainChain } from "./support/plainChain.ts";
import { blocksOf } from "./support/plainChain.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { simulatedSource } from "./support/simulatedSource.ts";
import { activeIn } from "./support/statsOracle.ts";

const DAY = 86_400;

/** Blocks with the latest time that one of them or below was made at. */
function settledTimes(chain: PlainChain): { latest: number; transactions: number; made: PlainBlock }[] {
  let latest = 0;
  return blocksOf(chain).map((made) => {
    latest = Math.max(latest, Number(made.block.timestamp));
    return { latest, transactions: made.block.transactions.length, made };
  });
}

function expectedDays(chain: PlainChain): Readonly<Record<string, string | number>>[] {
  const blocks = settledTimes(chain);
  const [oldest, newest] = [Math.floor(blocks[0]!.latest / DAY), Math.floor(blocks.at(-1)!.latest / DAY)];
  const days = Array.from({ length: Math.min(newest - oldest + 1, 30) }, (_, at) => newest - at);
  return days.map((day) => ({
    date: new Date(day * DAY * 1000).toISOString().slice(0, 10),
    transactions_count: blocks
      .filter(({ latest }) => Math.floor(latest / DAY) === day)
      .reduce((sum, { transactions }) => sum + transactions, 0),
    active_addresses_count: activeIn(
      blocks.filter(({ latest }) => Math.floor(latest / DAY) === day).map(({ made }) => made),
    ),
  }));
}

for (const [what, blockTime] of [
  ["go back now and then", [-40_000, 60_000]],
  ["mostly go back", [-60_000, 40_000]],
  ["stand still", [0, 0]],
] as const) {
  test(`where times ${what}, a block counts to the day of the latest time up to it`, async (t) => {
    const site = await serveChain({ seed: 5, blocks: 60, traffic: { blockTime, transactions: [0, 4] } });
    t.after(() => site.close());

    for (let round = 0; round < 3; round++) {
      const blocks = settledTimes(site.chain);
      const today = blocks.filter(({ latest }) => latest > blocks.at(-1)!.latest - DAY);
      const { body: charts } = await site.get("/api/v2/stats/charts/transactions");
      const { body: stats } = await site.get("/api/v2/stats");
      assert.deepEqual(charts.chart_data, expectedDays(site.chain));
      assert.equal(stats.transactions_today, String(today.reduce((sum, { transactions }) => sum + transactions, 0)));
      assert.deepEqual(await site.store.read(auditStore), []);
      site.chain.fork(9, 12);
      await site.index();
    }

    const fresh = await openStore(IN_MEMORY, site.chain.chainId);
    t.after(() => fresh.close());
    await append(fresh, await simulatedSource(site.chain).blocks(0, site.chain.length));
    assert.equal(await site.store.read(fingerprint), await fresh.read(fingerprint));
  });
}

async function append(store: Store, blocks: readonly Block[]): Promise<void> {
  await store.append({ head: blocks.at(-1)!.header.number, blocks: blocks });
}

/** The blocks of a chain, each of whose transactions used nearly as much gas as a number holds. */
async function maxGasBlocks(chain: SimulatedChain): Promise<Block[]> {
  const gas = Number.MAX_SAFE_INTEGER - 1;
  const blocks = await simulatedSource(chain).blocks(0, chain.length);
  return blocks.map((block) => ({
    ...block,
    header: { ...block.header, gasUsed: gas },
    receipts: block.receipts.map((receipt) => ({ ...receipt, gasUsed: gas })),
  }));
}

test("gas that adds up to more than a number holds is exact: of the chain, of a day and of a sender", async (t) => {
  const chain = new SimulatedChain({
    seed: 6,
    traffic: { addresses: 4, transactions: [1, 4], blockTime: [9000, 9000] },
  });
  chain.mine(20);
  const blocks = await maxGasBlocks(chain);
  const store = await openStore(IN_MEMORY, chain.chainId);
  await append(store, blocks);
  const app = createApp({ store, source: undefined, settings: SETTINGS });
  t.after(() => app.close().then(() => store.close()));
  const get = async (url: string) => (await app.inject({ url: `/api/v2/${url}` })).json<Record<string, unknown>>();
  const sum = (gas: readonly number[]) => gas.reduce((total, one) => total + BigInt(one), 0n).toString();

  const expectSums = async (counted: readonly Block[]) => {
    const newest = counted.at(-1)!.header.timestamp;
    const gasOf = (some: readonly Block[]) => sum(some.map(({ header }) => header.gasUsed));
    const stats = await get("stats");
    assert.equal(stats.total_gas_used, gasOf(counted));
    assert.equal(stats.gas_used_today, gasOf(counted.filter(({ header }) => header.timestamp > newest - DAY)));
    const senders = new Set(chain.at(1)!.block.transactions.map(({ from }) => from as `0x${string}`));
    for (const sender of senders) {
      const used = counted.flatMap(({ transactions, receipts }) =>
        receipts.filter((_, at) => Buffer.from(transactions[at]!.from).equals(fromHex(sender))),
      );
      const { gas_usage_count } = await get(`addresses/${sender}/counters`);
      assert.equal(gas_usage_count, sum(used.map(({ gasUsed }) => gasUsed)));
    }
    assert.deepEqual(await store.read(auditStore), []);
  };

  await expectSums(blocks);
  await store.unwind(7);
  await expectSums(blocks.slice(0, 8));
});

test("a block above the highest that has positions is refused, and nothing of it is written", async (t) => {
  const chain = new SimulatedChain({ seed: 7 });
  chain.mine(2);
  const [block] = (await simulatedSource(chain).blocks(1, 1)) as [Block];
  const at = (number: number): Block => ({ ...block, header: { ...block.header, number } });
  const store = await openStore(IN_MEMORY, chain.chainId);
  t.after(() => store.close());

  await assert.rejects(append(store, [at(MAX_BLOCK + 1)]), {
    code: "limit_exceeded",
    message: `block ${MAX_BLOCK + 1} is above ${MAX_BLOCK}, the highest that can be indexed`,
  });
  assert.equal(await store.latest.blocks.tip(), undefined);
  await append(store, [at(MAX_BLOCK)]);

  assert.equal((await store.latest.blocks.tip())?.number, MAX_BLOCK);
  assert.equal((await store.latest.transactions.inBlock(MAX_BLOCK, 0, 1000)).length, block.transactions.length);
  assert.deepEqual(await store.read(auditStore), []);
});
