import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { get, runProgram, temporaryDirectory } from "./support/program.ts";
import { Random } from "./support/random.ts";
import { findAnvil, RealNode } from "./support/realNode.ts";
import { firstSeed } from "./support/seed.ts";
import { until } from "./support/waiting.ts";

const BLOCKS = Number(process.env.ORIEL_CASES ?? 20);
const SEED = firstSeed();

/** Median milliseconds from a node's new head to the lists, on a busy machine; far below the poll interval. */
const MEDIAN = 500;
const POLL = 3000;

const kind = findAnvil();
const skip = typeof kind === "string" && kind;

test(`a block that anvil announces is in the lists within ${MEDIAN} ms, ${BLOCKS} blocks, seed ${SEED}`, {
  skip,
}, async (t) => {
  if (typeof kind === "string") return;
  const node = await RealNode.start(t, kind);
  const data = temporaryDirectory(t);
  const program = runProgram(t, ["start", "--rpc", node.url, "--data", data, "--port", "0", "--poll", String(POLL)]);
  const url = await program.url();
  const random = new Random(SEED);
  const newest = async () =>
    ((await get(`${url}/api/v2/blocks?page_size=1`)).body.items as { height: number }[])[0]?.height;
  await until("the first block is there", async () => (await newest()) === 0);
  const took: number[] = [];

  for (let block = 1; block <= BLOCKS; block++) {
    await delay(random.between(20, 200));
    await node.ask("evm_mine");
    const start = performance.now();
    while ((await newest()) !== block) await delay(2);
    took.push(performance.now() - start);
  }

  took.sort((one, other) => one - other);
  const [median, worst] = [took[took.length >> 1]!, took[Math.ceil(took.length * 0.99) - 1]!];
  t.diagnostic(`p50 ${median.toFixed(0)} ms, p99 ${worst.toFixed(0)} ms`);
  assert.ok(median < MEDIAN, `the median is ${median} ms`);
  assert.ok(worst < POLL / 2, `the longest took ${worst} ms, as if it had been polled for`);
});
