import assert from "node:assert/strict";
import { test } from "node:test";
import { autocommit } from "../../test/support/autocommit.ts";
import { describeEngines } from "../../test/support/engines.ts";
import { fingerprint } from "../../test/support/fingerprint/fingerprint.ts";
import { temporaryDirectory } from "../../test/support/program.ts";
import { SimulatedChain } from "../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../test/support/simulatedSource.ts";
import type { Block } from "../chain/block/block.ts";
import { openReaderWhenReady, openStore } from "./openStore.ts";
import type { Store } from "./store.ts";

describeEngines((tested) => {
  const CHAIN_ID = 677;

  async function blocksOf(chain: SimulatedChain): Promise<Block[]> {
    return simulatedSource(chain).blocks(0, chain.length);
  }

  async function indexed(blocks: readonly Block[], batch = 7): Promise<Store> {
    const store = await openStore(tested.memory, CHAIN_ID);
    for (let at = 0; at < blocks.length; at += batch) {
      await appendParts(store, blocks.length, [blocks.slice(at, at + 2), blocks.slice(at + 2, at + batch)]);
    }
    return store;
  }

  async function appendParts(store: Store, head: number, parts: readonly Block[][]): Promise<void> {
    const batch = await store.begin({ head });
    for (const part of parts) await batch.add(part);
    await batch.commit();
  }

  test("a block reads back as it was written", async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const chain = new SimulatedChain({ seed, traffic: { deposits: true, extraFields: true, byzantium: 4 } });
      chain.mine(12);
      const blocks = await blocksOf(chain);
      const store = await indexed(blocks);

      for (const block of blocks) {
        const { number } = block.header;
        const stored = await store.latest.blocks.byNumber(number);
        const transactions = await store.latest.transactions.inBlock(number, 0, 1000);

        assert.deepEqual(plain(stored!.header), plain(block.header), `seed ${seed} block ${number}`);
        assert.deepEqual(
          transactions.map(({ transaction, receipt, index }) => plain({ transaction, receipt, index })),
          block.transactions.map((transaction, index) => {
            const { logsBloom, ...receipt } = block.receipts[index]!;
            return plain({ transaction, receipt, index });
          }),
          `seed ${seed} block ${number}`,
        );
        assert.deepEqual(plain((await store.latest.blocks.byHash(block.header.hash))?.header), plain(block.header));
        for (const [index, tx] of block.transactions.entries()) {
          const found = await store.latest.transactions.byHash(tx.hash);
          const { logsBloom, logs, ...receipt } = block.receipts[index]!;
          assert.deepEqual(plain(found!.transaction), plain(tx));
          assert.deepEqual(plain(found!.receipt), plain(receipt));
        }
      }
      await store.close();
    }
  });

  test("how a chain was batched leaves no trace", async () => {
    const chain = new SimulatedChain({ seed: 7 });
    chain.mine(60);
    const blocks = await blocksOf(chain);
    const prints = await Promise.all([3, 4, 61].map(async (batch) => (await indexed(blocks, batch)).read(fingerprint)));

    assert.equal(new Set(prints).size, 1);
  });

  test("what was read before a fingerprint does not change it", async () => {
    const chain = new SimulatedChain({ seed: 8, traffic: { addresses: 12, logs: [0, 40] } });
    chain.mine(30);
    const blocks = await blocksOf(chain);
    const [store, other] = [await indexed(blocks), await indexed(blocks)];
    const backwards = await store.read(async (session) => {
      for (let number = 30; number >= 0; number--) await session.transactions.inBlock(number, 0, 1000);
      return fingerprint(session);
    });

    assert.equal(backwards, await other.read(fingerprint));
    await Promise.all([store.close(), other.close()]);
  });

  test("an append that fails leaves nothing behind, in the database or in memory", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const chain = new SimulatedChain({ seed });
      chain.mine(30);
      const blocks = await blocksOf(chain);
      const store = await indexed(blocks.slice(0, 10));
      const before = await store.read(fingerprint);
      chain.fork(21, 21);
      const others = await blocksOf(chain);
      const last = 15 + (seed % 9);
      const parts = [others.slice(10, 15), others.slice(15, last), others.slice(last + 1, last + 3)];

      await assert.rejects(appendParts(store, 30, parts), { code: "internal", message: /does not join on/ });
      assert.equal(await store.read(fingerprint), before, `seed ${seed}`);
      await store.append({ head: 30, blocks: blocks.slice(10) });
      assert.equal(await store.read(fingerprint), await (await indexed(blocks)).read(fingerprint), `seed ${seed}`);
      await store.close();
    }
  });

  test("a batch writes nothing before it is committed, and one that is left for another nothing at all", async () => {
    const chain = new SimulatedChain({ seed: 5 });
    chain.mine(12);
    const blocks = await blocksOf(chain);
    const store = await indexed(blocks.slice(0, 6));
    const before = await store.read(fingerprint);
    const version = store.version;

    const left = await store.begin({ head: 12 });
    await left.add(blocks.slice(6, 11));
    const batch = await store.begin({ head: 12 });
    await batch.add(blocks.slice(6, 9));
    await batch.add(blocks.slice(9));
    assert.equal(store.version, version);
    assert.equal(await store.read(fingerprint), before);
    await batch.commit();
    assert.equal(await store.read(fingerprint), await (await indexed(blocks)).read(fingerprint));
    await store.close();
  });

  test("blocks that do not join on to the tip are refused", async () => {
    const chain = new SimulatedChain({ seed: 9 });
    chain.mine(12);
    const blocks = await blocksOf(chain);
    const store = await indexed(blocks.slice(0, 8));
    const before = await store.read(fingerprint);
    chain.fork(6, 6);
    const append = (added: readonly Block[]) => store.append({ head: 12, blocks: added });

    await assert.rejects(append(blocks.slice(9)), { code: "internal" });
    await assert.rejects(append(blocks.slice(7)), { code: "internal" });
    await assert.rejects(append((await blocksOf(chain)).slice(8)), { code: "internal" });
    assert.equal(await store.read(fingerprint), before);
    await store.close();
  });

  function plain(value: unknown): unknown {
    return JSON.parse(
      JSON.stringify(value ?? null, (_, inner) =>
        inner instanceof Uint8Array ? Buffer.from(inner).toString("hex") : inner,
      ),
    );
  }

  test("an index that was cleared opens again", async (t) => {
    const url = `sqlite:${temporaryDirectory(t)}`;
    const store = await openStore(url, CHAIN_ID);
    await store.clear();
    await store.close();

    const again = await openStore(url, CHAIN_ID);

    assert.equal(await again.latest.blocks.tip(), undefined);
    await again.close();
  });

  test("a reader waits for an index whose chain is not recorded yet", async (t) => {
    const url = `sqlite:${temporaryDirectory(t)}`;
    const store = await openStore(url, CHAIN_ID);
    t.after(() => store.close());
    await autocommit(store.database).run("DELETE FROM meta WHERE name = 'chain_id'");
    const waits = Promise.withResolvers<string>();
    const signal = AbortSignal.timeout(60_000);
    const opening = openReaderWhenReady(url, CHAIN_ID, { signal, onWait: (reason) => waits.resolve(reason) });

    assert.match(await Promise.race([waits.promise, opening.then(() => "open")]), /being prepared/);
    await store.setMeta({ chain_id: String(CHAIN_ID) });
    const reader = await opening;

    assert.equal(await reader.latest.chainId(), CHAIN_ID);
    await reader.close();
  });

  test("an index without its secret is refused, since nothing in it could be found", async (t) => {
    const directory = temporaryDirectory(t);
    const chain = new SimulatedChain({ seed: 2 });
    chain.mine(3);
    const blocks = await blocksOf(chain);
    const store = await openStore(directory, CHAIN_ID);
    await store.append({ head: blocks.length, blocks: blocks });
    await autocommit(store.database).run("DELETE FROM meta WHERE name = 'hash_secret'");
    await store.close();

    await assert.rejects(openStore(directory, CHAIN_ID), { code: "store_corrupt", message: /secret/ });
  });
});
