import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "./support/api.ts";
import type { HeadChecks } from "./support/headChecks.ts";
import { openHeadChecks } from "./support/headChecks.ts";
import { firstSeed } from "./support/seed.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";

const SEED = firstSeed();

/** Chains of one seed are the same until one of them forks. */
function mined(count: number): SimulatedChain {
  const chain = new SimulatedChain({ seed: SEED, traffic: { transactions: [1, 3] } });
  chain.mine(count);
  return chain;
}

const confirmationsIn = async (checks: HeadChecks, path: string) => (await checks.read(path)).body.confirmations;

/** Blocks up to the fork count from the node's head; those above are the node's, or listed without a confirmation. */
async function expectFork(
  checks: HeadChecks,
  chain: SimulatedChain,
  fork: SimulatedChain,
  shared: number,
): Promise<void> {
  const head = fork.head.number;
  const { body: status } = await checks.get("/status");
  const { body: blocks, fork: header } = await checks.read("/api/v2/blocks");
  const gone = chain.at(shared + 3)!;

  assert.equal(status.forked_at, shared);
  assert.equal(header, String(shared));
  for (const { height, confirmations } of blocks.items as Json[]) {
    const isShared = (height as number) <= shared;
    assert.equal(confirmations, isShared ? head - (height as number) + 1 : 0, `block ${height}`);
  }
  assert.equal(await confirmationsIn(checks, `/api/v2/blocks/${shared}`), head - shared + 1);
  assert.equal(
    await confirmationsIn(checks, `/api/v2/transactions/${chain.at(shared)!.block.transactions[0]!.hash}`),
    head - shared + 1,
  );
  assert.equal((await checks.read(`/api/v2/blocks/${gone.number}`)).body.hash, fork.at(gone.number)!.hash);
  assert.equal((await checks.read(`/api/v2/blocks/${gone.hash}`)).status, 404);
  const kept = new Set(hashesAbove(fork, shared));
  for (const hash of hashesAbove(chain, shared).filter((each) => !kept.has(each))) {
    const { status: code, body } = await checks.read(`/api/v2/transactions/${hash}`);
    assert.ok(code === 404 || body.confirmations === 0, `transaction ${hash}`);
  }
  assert.match(await checks.page("/blocks"), new RegExp(`blocks above ${shared} are not those of the node`));
  assert.equal((await checks.read("/api/v2/main-page/indexing-status")).body.finished_indexing_blocks, false);
}

/** The transactions in the first blocks above a height. */
function hashesAbove(chain: SimulatedChain, height: number): string[] {
  const heights = Array.from({ length: 20 }, (_, at) => height + 1 + at);
  return heights.flatMap((number) => chain.at(number)?.block.transactions.map(({ hash }) => hash) ?? []);
}

async function expectNoFork(checks: HeadChecks): Promise<void> {
  assert.equal((await checks.get("/status")).body.forked_at, null);
  assert.equal((await checks.read("/api/v2/blocks")).fork, undefined);
  assert.doesNotMatch(await checks.page("/blocks"), /left the branch/);
}

test(`an unconfirmed branch is reported as a fork until it is followed (seed ${SEED})`, async (t) => {
  const [chain, fork] = [mined(40), mined(40)];
  fork.fork(10, 4);
  const checks = await openHeadChecks(t, chain);
  await checks.checkHead(3);
  await expectNoFork(checks);

  checks.node.faults.set({ otherChain: fork });
  await checks.checkHead();
  await expectFork(checks, chain, fork, 30);
  await checks.checkHead(14);

  await expectNoFork(checks);
});

test(`after a reorganisation that is too deep confirmations count on the node's branch (seed ${SEED})`, async (t) => {
  const [chain, fork] = [mined(360), mined(360)];
  fork.fork(300, 310);
  const checks = await openHeadChecks(t, chain);
  await checks.checkHead(3);
  await expectNoFork(checks);

  checks.node.faults.set({ otherChain: fork });
  await checks.checkHead();
  await expectFork(checks, chain, fork, 60);
  fork.mine(20);
  await expectFork(checks, chain, fork, 60);
});
