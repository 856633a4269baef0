import assert from "node:assert/strict";
import { test } from "node:test";
import { describeEngines } from "../../../test/support/engines.ts";
import { blocksOf } from "../../../test/support/plainChain.ts";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { Indexer } from "../../indexer/indexer.ts";
import { openStore } from "../openStore.ts";
import type { Store } from "../store.ts";

const SEED = firstSeed();

/** By receipts, oldest first. */
function deployedSince(chain: SimulatedChain, first: number): string[] {
  const receipts = blocksOf(chain, first).flatMap((block) => block.receipts);
  const made = receipts.filter(({ status, contractAddress }) => contractAddress !== null && status !== "0x0");
  return made.map(({ contractAddress }) => contractAddress as string);
}

const read = (store: Store, from: number, to: number) =>
  store.read(async ({ blocks, contracts }) => {
    const [first, tip] = [(await blocks.first())!.header.number, (await blocks.tip())!];
    return (await contracts.deployed(first, tip, from, to)).map(toHex);
  });

describeEngines((tested) => {
  for (const first of [0, 23]) {
    test(`any part of the deployed contracts is that of the receipts from block ${first} on, also after a reorg (seed ${SEED})`, async (t) => {
      const chain = new SimulatedChain({ seed: SEED });
      chain.mine(120);
      const store = await openStore(tested.memory, chain.chainId);
      t.after(() => store.close());
      const source = simulatedSource(chain, { authoritative: true });
      const indexer = new Indexer({ store, source, fromBlock: first, stages: [] });
      const random = new Random(SEED);

      for (const depth of [0, 30]) {
        if (depth > 0) chain.fork(depth, depth + 5);
        while ((await indexer.step()) !== "idle");
        const expected = deployedSince(chain, first);
        assert.ok(expected.length > 10);
        assert.deepEqual(await read(store, 0, expected.length + 5), expected);
        for (let window = 0; window < 60; window++) {
          const from = random.int(expected.length + 3);
          const to = from + random.int(12);
          assert.deepEqual(await read(store, from, to), expected.slice(from, to), `[${from}, ${to})`);
        }
      }
    });
  }
});
