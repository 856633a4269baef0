import assert from "node:assert/strict";
import { test } from "node:test";
import { toHex } from "../src/chain/encoding/hex.ts";
import type { Source } from "../src/chain/source.ts";
import { Indexer } from "../src/indexer/indexer.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import { openStore } from "../src/store/openStore.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { simulatedSource } from "./support/simulatedSource.ts";
import { openTrial } from "./support/trial.ts";

const TRIALS = Number(process.env.ORIEL_CASES ?? 100);
const SEED = firstSeed();

/** Chains of one seed are the same until one of them forks. */
function mined(count: number, seed = SEED): SimulatedChain {
  const chain = new SimulatedChain({ seed, traffic: { transactions: [1, 4] } });
  chain.mine(count);
  return chain;
}

/** The chain as a node sees it that lacks its newest blocks. */
function behind(chain: SimulatedChain, lag: number): Source {
  const source = simulatedSource(chain);
  const top = chain.head.number - lag;
  const { header } = chain.at(top)!;
  return {
    ...source,
    head: async () => ({ number: top, hash: header.hash, timestamp: header.timestamp, safe: 0, finalized: 0 }),
    hashes: async (numbers) => (await source.hashes(numbers)).map((hash, i) => (numbers[i]! > top ? undefined : hash)),
    blocks: (from, count) => source.blocks(from, Math.min(count, Math.max(0, top - from + 1))),
    block: async (id) => {
      const block = await source.block(id);
      return block !== undefined && block.header.number > top ? undefined : block;
    },
  };
}

test(`F12: ${TRIALS} nodes with a lower head, half of them on a losing fork, take nothing back (seed ${SEED})`, async () => {
  const random = new Random(SEED);
  const chain = mined(400);
  const store = await openStore(IN_MEMORY, chain.chainId);
  await new Indexer({ store, source: simulatedSource(chain) }).step();
  const before = await store.read(fingerprint);
  const losing = [1, 2, 10, 60, 300].map((depth) => {
    const fork = mined(400);
    fork.fork(depth, depth);
    return fork;
  });

  for (let i = 0; i < TRIALS; i++) {
    const lag = i < 3 ? [1, 10, 300][i]! : random.between(1, 399);
    const fork = random.chance(0.5) ? chain : random.pick(losing);
    const step = new Indexer({ store, source: behind(fork, lag) }).step();
    const isDeep = fork === losing.at(-1) && 400 - lag > 100;
    if (isDeep) await assert.rejects(step, { code: "deep_reorg" });
    else assert.equal(await step, "stale", `lower by ${lag}`);
  }

  assert.equal(toHex((await store.latest.blocks.tip())!.hash), chain.head.hash);
  assert.equal(await store.read(fingerprint), before);
  await store.close();
});

for (const staleBy of [1, 10, 300]) {
  test(`F12: a node that says its head is ${staleBy} lower takes nothing back`, async (t) => {
    const chain = mined(310);
    const fork = mined(310);
    fork.fork(5, 5);
    const trial = await openTrial(t, chain, { others: [fork] });
    await trial.settle();

    trial.node.faults.set({ staleBy });
    assert.deepEqual(await trial.steps(2), ["stale", "stale"]);
    trial.node.faults.set({ staleBy, otherChain: fork });
    assert.deepEqual(await trial.steps(2), ["stale", "stale"]);
    trial.node.faults.clear();
    assert.deepEqual(await trial.steps(1), ["idle"]);
  });
}

test("F11: a fork deeper than can be unwound stops the index until the node comes back to our chain", async (t) => {
  const chain = mined(290);
  const fork = mined(290);
  fork.fork(270, 275);
  const trial = await openTrial(t, chain);
  await trial.settle();

  trial.node.faults.set({ otherChain: fork });
  assert.deepEqual(await trial.steps(3), ["deep_reorg", "deep_reorg", "deep_reorg"]);
  trial.node.faults.clear();
  chain.mine(5);
  await trial.settle();
});

test("F13: blocks that were abandoned and come back are indexed once", async (t) => {
  const chain = mined(40);
  const fork = mined(40);
  fork.fork(10, 12);
  const trial = await openTrial(t, chain, { others: [fork] });
  await trial.settle();

  trial.node.faults.set({ otherChain: fork });
  await trial.settle(fork);
  trial.node.faults.clear();
  chain.mine(2);
  await trial.settle();
  trial.node.faults.set({ otherChain: fork });
  fork.mine(4);
  await trial.settle(fork);
});

for (const [what, corrupt] of Object.entries({
  "a header that is not its hash": (block: object) => ({ ...block, stateRoot: `0x${"ab".repeat(32)}` }),
  "a parent we do not have": (block: object) => ({ ...block, parentHash: `0x${"ab".repeat(32)}` }),
  "no transactions": (block: object) => ({ ...block, transactions: [] }),
})) {
  test(`F25: another branch with ${what} unwinds nothing`, async (t) => {
    const chain = mined(30);
    const fork = mined(30);
    fork.fork(6, 9);
    const trial = await openTrial(t, chain, { indexer: { integrity: "auto" } });
    await trial.settle();

    trial.node.faults.set({
      otherChain: fork,
      respond: ({ params }, result) => (params[1] === true && result !== null ? corrupt(result as object) : result),
    });
    const outcomes = await trial.steps(3);

    assert.ok(!outcomes.includes("unwound"), outcomes.join(" "));
    assert.equal(toHex((await trial.store.latest.blocks.tip())!.hash), chain.head.hash);
    trial.node.faults.clear();
    chain.mine(1);
    await trial.settle();
  });
}

test("F24: a balancer over two nodes on different forks never mixes them", async (t) => {
  const chain = mined(30);
  const fork = mined(30);
  fork.fork(8, 9);
  const trial = await openTrial(t, chain, { others: [fork] });
  await trial.settle();

  for (let i = 0; i < 8; i++) {
    trial.node.faults.set({ otherChain: fork, probability: 0.5 });
    (i % 2 === 0 ? fork : chain).mine(2);
    await trial.steps(3);
  }
  trial.node.faults.clear();
  chain.mine(10);
  await trial.settle();
});

test("F24: a batch with blocks of two forks in it is used as far as they join", async (t) => {
  const chain = mined(30);
  const fork = mined(30);
  fork.fork(20, 20);
  const trial = await openTrial(t, chain, { others: [fork] });

  trial.node.faults.set({
    respond: ({ method, params }, result) => {
      const [id, isFull] = params;
      if (isFull === true && Number(id) % 3 === 2) return fork.wireBlock(Number(id)) ?? null;
      if (method === "eth_getBlockReceipts" && result === null) return fork.blockByHash(String(id))?.receipts ?? null;
      return result;
    },
  });
  const outcomes = await trial.steps(6);

  assert.ok(!outcomes.includes("upstream_invalid"), outcomes.join(" "));
  assert.ok((await trial.store.latest.blocks.tip())!.number >= 10);
  trial.node.faults.clear();
  await trial.settle();
});

test("F21: a node that serves another chain after a reconnect is not listened to", async (t) => {
  const chain = mined(30);
  const trial = await openTrial(t, chain, { upstream: { retry: { attempts: 1 } } });
  await trial.settle();
  chain.mine(2);

  trial.node.faults.set({ transport: ["reset"], requests: 1 });
  assert.match((await trial.steps(1)).join(" "), /^upstream_/);
  trial.node.faults.set({ chainId: 5 });
  assert.deepEqual(await trial.steps(2), ["wrong_chain", "wrong_chain"]);
  trial.node.faults.clear();
  await trial.settle();
});

for (const length of [5, 80]) {
  test(`F19: another genesis with ${length} blocks on it is recognised and nothing is lost`, async (t) => {
    const chain = mined(30);
    const trial = await openTrial(t, chain);
    await trial.settle();

    trial.node.faults.set({ otherChain: mined(length, SEED + 1) });
    assert.deepEqual(await trial.steps(2), ["chain_reset", "chain_reset"]);
    assert.equal((await trial.store.latest.blocks.tip())!.number, 30);
    trial.node.faults.clear();
    chain.mine(2);
    await trial.settle();
  });

  test(`F19: a development chain that began again, with ${length} blocks by now, is indexed anew`, async (t) => {
    const chain = mined(30);
    const trial = await openTrial(t, chain, { upstream: { authoritative: true } });
    await trial.settle();

    chain.reset();
    chain.mine(length);

    assert.deepEqual(await trial.steps(2), ["cleared", "appended"]);
    await trial.settle();
  });
}

test("a development chain that ends earlier is followed back, then forward", async (t) => {
  const chain = mined(40);
  const trial = await openTrial(t, chain, { upstream: { authoritative: true } });
  await trial.settle();

  for (const end of [39, 25, 1, 0]) {
    chain.truncate(end);
    await trial.settle();
    chain.mine(6);
    await trial.settle();
    chain.truncate(Math.max(0, end - 1));
    chain.mine(3);
    await trial.settle();
  }
});

test("a development chain that ends earlier than can be unwound is indexed anew", async (t) => {
  const chain = mined(300);
  const trial = await openTrial(t, chain, { upstream: { authoritative: true } });
  await trial.settle();

  chain.truncate(20);
  await trial.settle();
  chain.mine(3);
  await trial.settle();
});
