import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { InterleavedDatabase } from "../../test/support/interleavedDatabase.ts";
import { temporaryDirectory } from "../../test/support/program.ts";
import { Random } from "../../test/support/random.ts";
import { firstSeed } from "../../test/support/seed.ts";
import { SimulatedChain } from "../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../test/support/simulatedSource.ts";
import type { Block } from "../chain/block/block.ts";
import { toHex } from "../chain/encoding/hex.ts";
import { prepareStore } from "./openStore.ts";
import type { Store } from "./store.ts";

const SEED = firstSeed();
const ROUNDS = Number(process.env.ORIEL_CASES ?? 12);
const SESSIONS = 6;

/** Mostly new addresses, so that branches assign the same ids to different addresses. */
const TRAFFIC = { fresh: 0.9, transactions: [1, 4] } as const;

/** Senders of all transactions by newest block hash. */
const sendersOf = (blocks: readonly Block[]) => ({
  tip: toHex(blocks.at(-1)!.header.hash),
  senders: blocks.flatMap(({ transactions }) => transactions.map(({ from }) => toHex(from))),
});

const readSenders = (store: Store) =>
  store.read(async (session) => {
    const tip = (await session.blocks.tip())!;
    const list = session.transactions.all(0, tip);
    const records = await session.transactions.records(await list.slice(0, await list.count()));
    const senders = records.map(({ addresses, addressesAt }) =>
      toHex(addresses.subarray(addressesAt, addressesAt + 20)),
    );
    return { tip: toHex(tip.hash), senders };
  });

async function open(t: TestContext, chain: SimulatedChain, turn: () => Promise<void>): Promise<Store> {
  const database = new InterleavedDatabase(join(temporaryDirectory(t), "index.sqlite"), SESSIONS + 1, turn);
  const store = await prepareStore(database, chain.chainId);
  t.after(() => store.close());
  return store;
}

test("a session that is overtaken by others on a longer branch does not hand their values to another branch", async (t) => {
  const chain = new SimulatedChain({ seed: SEED, traffic: TRAFFIC });
  let turn = async () => {};
  const store = await open(t, chain, () => turn());
  const append = async (from: number) => {
    const blocks = await simulatedSource(chain).blocks(0, chain.length);
    await store.append({ head: chain.length, blocks: blocks.slice(from) });
    return sendersOf(blocks);
  };
  chain.mine(10);
  await append(0);
  await readSenders(store);
  chain.mine(1);
  const early = await append(11);

  for (const pausedAt of [1, 2, 3, 4]) {
    const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let statements = 0;
    turn = async () => {
      if (++statements !== pausedAt) return;
      reached.resolve();
      await gate.promise;
    };
    const overtaken = readSenders(store);
    await reached.promise;
    chain.mine(4);
    assert.deepEqual(await append(12), await readSenders(store));
    gate.resolve();
    assert.deepEqual(await overtaken, early);

    chain.fork(4, 4);
    await store.unwind(11);
    const other = await append(12);
    assert.deepEqual(await readSenders(store), other, `paused at statement ${pausedAt}`);
    chain.fork(4, 0);
    await store.unwind(11);
  }
});

test(`sessions at the same time each read their own branch, whatever is reorganised (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const chain = new SimulatedChain({ seed: SEED, traffic: TRAFFIC });
  const store = await open(t, chain, async () => {
    for (let turns = random.int(4); turns > 0; turns--) await setImmediate();
  });
  const expected = new Map<string, readonly string[]>();
  const expectUpTo = async (length: number) => {
    const blocks = await simulatedSource(chain).blocks(0, length);
    const { tip, senders } = sendersOf(blocks);
    expected.set(tip, senders);
    return blocks;
  };
  const append = async (from: number) => {
    const blocks = await expectUpTo(chain.length);
    await store.append({ head: chain.length, blocks: blocks.slice(from) });
  };
  chain.mine(12);
  await append(0);

  let isWriting = true;
  const seen = new Set<string>();
  const read = async () => {
    while (isWriting) {
      const { tip, senders } = await readSenders(store);
      assert.deepEqual(senders, expected.get(tip));
      seen.add(tip);
    }
  };
  const reading = Array.from({ length: SESSIONS }, read);
  for (let round = 0; round < ROUNDS; round++) {
    const depth = random.between(1, 6);
    const length = chain.length;
    await expectUpTo(length - depth);
    chain.fork(depth, depth + random.int(3));
    await store.unwind(length - depth - 1);
    await append(length - depth);
  }
  isWriting = false;
  await Promise.all(reading);

  assert.ok(seen.size > ROUNDS / 2, `${seen.size} states were read`);
});
