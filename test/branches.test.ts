import assert from "node:assert/strict";
import { test } from "node:test";
import { toHex } from "../src/chain/encoding/hex.ts";
import type { Store } from "../src/store/store.ts";
import type { HeadChecks } from "./support/headChecks.ts";
import { openHeadChecks } from "./support/headChecks.ts";
import { firstSeed } from "./support/seed.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { Honest } from "./support/trial.ts";

const SEED = firstSeed();

/** Chains of one seed are the same until one of them forks. */
function mined(count: number, seed = SEED): SimulatedChain {
  const chain = new SimulatedChain({ seed, traffic: { transactions: [0, 3] } });
  chain.mine(count);
  return chain;
}

const tipOf = async (store: Store) => toHex((await store.latest.blocks.tip())!.hash);

/** The depths of what was taken back. */
const unwinds = ({ events }: HeadChecks) =>
  events.map((event) => (event.kind === "unwound" ? event.from - event.to : event));

async function expectDisagreement(checks: HeadChecks, chain: SimulatedChain, fork: SimulatedChain): Promise<void> {
  const { number, hash } = fork.head;
  const ready = await checks.get("/ready");
  const { body } = await checks.get("/status");

  assert.equal(ready.status, 503);
  assert.equal(ready.body.reason, `the node and the index disagree at block ${number}`);
  assert.deepEqual(body.disagreement, { number, node_hash: hash, index_hash: chain.at(number)!.hash });
}

async function expectAgreement(checks: HeadChecks, chain: SimulatedChain): Promise<void> {
  assert.equal(await tipOf(checks.store), chain.head.hash);
  assert.deepEqual(await checks.get("/ready"), { status: 200, body: { status: "ready", index_age_seconds: null } });
  const { body } = await checks.get("/status");
  assert.equal(body.disagreement, null);
  assert.deepEqual(body.indexer, { state: "running" });
}

test(`a head reset onto another branch is reported at once and followed after 12 seconds (seed ${SEED})`, async (t) => {
  const chain = mined(40);
  const fork = mined(40);
  fork.fork(10, 4);
  const checks = await openHeadChecks(t, chain);
  await checks.checkHead(3);
  await expectAgreement(checks, chain);

  checks.node.faults.set({ otherChain: fork });
  await checks.checkHead();
  await expectDisagreement(checks, chain, fork);
  assert.match(
    String(((await checks.get("/status")).body.indexer as { message: string }).message),
    /disagree from block 31 on; its branch is not followed until that has held for 12 s or is as high$/,
  );
  await checks.checkHead(11);
  assert.equal(await tipOf(checks.store), chain.head.hash);
  await expectDisagreement(checks, chain, fork);
  await checks.checkHead(3);

  await expectAgreement(checks, fork);
  assert.deepEqual(unwinds(checks), [10]);
  await new Honest([chain, fork]).expect(checks.store);
});

test("a node that is behind on our branch is waited for, however long, and is ready", async (t) => {
  const chain = mined(40);
  const checks = await openHeadChecks(t, chain);
  await checks.checkHead(3);

  for (const staleBy of [1, 3, 30]) {
    checks.node.faults.set({ staleBy });
    await checks.checkHead(20);
    await expectAgreement(checks, chain);
  }

  assert.deepEqual(checks.events, []);
});

test("a branch at a lower height that grows is followed as soon as it is as high as the index", async (t) => {
  const chain = mined(40);
  const fork = mined(40);
  fork.fork(5, 2);
  const checks = await openHeadChecks(t, chain);
  await checks.checkHead(3);

  checks.node.faults.set({ otherChain: fork });
  for (let height = 37; height < 40; height++) {
    await checks.checkHead();
    await expectDisagreement(checks, chain, fork);
    fork.mine(1);
  }
  await checks.checkHead(3);

  await expectAgreement(checks, fork);
  assert.deepEqual(unwinds(checks), [5]);
  await new Honest([chain, fork]).expect(checks.store);
});

test("a lower branch that grows stays the same branch: its 12 seconds continue", async (t) => {
  const chain = mined(60);
  const fork = mined(60);
  fork.fork(40, 2);
  const checks = await openHeadChecks(t, chain);
  await checks.checkHead(3);

  checks.node.faults.set({ otherChain: fork });
  for (let i = 0; i < 12; i++) {
    await checks.checkHead();
    fork.mine(1);
  }
  assert.equal(await tipOf(checks.store), chain.head.hash);
  await checks.checkHead(3);

  await expectAgreement(checks, fork);
});

for (const [what, length] of [
  ["lower", 6],
  ["as high", 10],
] as const) {
  test(`a balancer that flips between our branch and one that is ${what} takes nothing back and forth`, async (t) => {
    const chain = mined(40);
    const fork = mined(40);
    fork.fork(10, length);
    const checks = await openHeadChecks(t, chain);
    await checks.checkHead(3);

    for (let i = 0; i < 40; i++) {
      checks.node.faults.set(i % 3 === 2 ? {} : { otherChain: fork });
      await checks.checkHead();
    }

    assert.deepEqual(unwinds(checks), what === "lower" ? [] : [10]);
    const kept = what === "lower" ? chain : fork;
    assert.equal(await tipOf(checks.store), kept.head.hash);
    checks.node.faults.set({ otherChain: kept });
    await checks.checkHead(2);
    await expectAgreement(checks, kept);
  });
}

test("two branches that overtake each other behind a balancer are not followed back and forth", async (t) => {
  const chain = mined(40);
  const fork = mined(40);
  fork.fork(3, 4);
  const checks = await openHeadChecks(t, chain);
  await checks.checkHead(3);

  for (let i = 0; i < 30; i++) {
    (i % 2 === 0 ? chain : fork).mine(2);
    checks.node.faults.set({ otherChain: i % 2 === 0 ? chain : fork });
    await checks.checkHead(2);
  }
  assert.ok(unwinds(checks).length <= 1, JSON.stringify(checks.events));

  checks.node.faults.set({ otherChain: chain });
  await checks.checkHead(20);
  await expectAgreement(checks, chain);
  await new Honest([chain, fork]).expect(checks.store);
});

test("a balancer that answers every request from another node mixes nothing, and one branch wins in the end", async (t) => {
  const chain = mined(40);
  const fork = mined(40);
  fork.fork(8, 8);
  const checks = await openHeadChecks(t, chain);
  await checks.checkHead(3);

  const honest = new Honest([chain, fork]);
  checks.node.faults.set({ otherChain: fork, probability: 0.5 });
  for (let i = 0; i < 30; i++) {
    await checks.checkHead();
    await honest.expect(checks.store);
  }
  assert.ok(unwinds(checks).length <= 1, JSON.stringify(checks.events));

  checks.node.faults.set({ otherChain: fork });
  await checks.checkHead(20);
  await expectAgreement(checks, fork);
});

test("a fork that is too deep is not forgotten when the node's head falls below that of the index", async (t) => {
  const chain = mined(290);
  const fork = mined(290);
  fork.fork(270, 275);
  const checks = await openHeadChecks(t, chain);
  await checks.checkHead(3);
  const indexer = async () => (await checks.get("/status")).body.indexer as { state: string; code?: string };

  checks.node.faults.set({ otherChain: fork });
  await checks.checkHead();
  assert.deepEqual([(await indexer()).state, (await indexer()).code], ["stopped", "deep_reorg"]);
  checks.node.faults.set({ otherChain: fork, staleBy: 100 });
  await checks.checkHead(2);

  const { state, code, message } = (await indexer()) as { state: string; code?: string; message?: string };
  assert.deepEqual([state, code], ["stopped", "deep_reorg"]);
  assert.match(message!, /--dev/);
  assert.equal((await checks.get("/ready")).status, 503);
  assert.equal(await tipOf(checks.store), chain.head.hash);
});

test("a development chain is followed back at once, and re-indexed above the common ancestor alone", async (t) => {
  const chain = mined(250);
  const checks = await openHeadChecks(t, chain, { authoritative: true });
  await checks.checkHead(3);

  for (const end of [200, 40]) {
    chain.truncate(end);
    chain.mine(3);
    const { number } = (await checks.store.latest.blocks.tip())!;
    await checks.checkHead(3);
    assert.deepEqual(unwinds(checks).at(-1), number - end);
    await expectAgreement(checks, chain);
  }

  await new Honest([chain]).expect(checks.store);
});

test("following an idle chain takes one small call per poll", async (t) => {
  const chain = mined(20);
  const checks = await openHeadChecks(t, chain);
  await checks.checkHead(3);
  const { requests } = checks.node;
  requests.length = 0;

  await checks.checkHead(25);

  const calls = requests.flatMap((request) => request.calls);
  assert.deepEqual(calls, Array(25).fill({ method: "eth_getBlockByNumber", params: ["latest", false] }));
});

test("a chain that started over is reported with what to do, and not followed", async (t) => {
  const chain = mined(20);
  const checks = await openHeadChecks(t, chain);
  await checks.checkHead(3);

  checks.node.faults.set({ otherChain: mined(5, SEED + 1) });
  await checks.checkHead(2);

  const { state, code, message } = (await checks.get("/status")).body.indexer as Record<string, string>;
  assert.deepEqual([state, code], ["stopped", "chain_reset"]);
  assert.match(message!, /start with --dev if it is a development chain, or delete the data directory$/);
  assert.equal((await checks.get("/ready")).status, 503);
  assert.equal(await tipOf(checks.store), chain.head.hash);
});

test("a node that is stuck below the fork keeps no branch from being followed", async (t) => {
  const [chain, fork, stuck] = [mined(40), mined(40), mined(25)];
  fork.fork(10, 4);
  const checks = await openHeadChecks(t, chain);
  await checks.checkHead(3);

  for (let checkHead = 0; checkHead < 40; checkHead++) {
    checks.node.faults.set({ otherChain: checkHead % 2 === 0 ? fork : stuck });
    await checks.checkHead();
  }

  assert.equal(toHex((await checks.store.latest.blocks.tip())!.hash), fork.head.hash);
});
