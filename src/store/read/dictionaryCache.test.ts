import assert from "node:assert/strict";
import { test } from "node:test";
import { autocommit } from "../../../test/support/autocommit.ts";
import { describeEngines } from "../../../test/support/engines.ts";
import { makeTemporaryDirectory } from "../../../test/support/program.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import type { Block } from "../../chain/block/block.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { openStore, openStoreReadOnly } from "../openStore.ts";
import type { Store } from "../store.ts";
import type { StoreReader } from "../storeReader.ts";

const SEED = firstSeed();

describeEngines((tested) => {
  const append = (store: Store, blocks: readonly Block[]) =>
    store.append({ head: blocks.at(-1)!.header.number, blocks });

  /** Senders of all transactions, via lists. */
  const readSenders = (store: StoreReader) =>
    store.read(async (session) => {
      const list = session.transactions.all(0, (await session.blocks.tip())!);
      const records = await session.transactions.records(await list.slice(0, await list.count()));
      return records.map(({ addresses, addressesAt }) => toHex(addresses.subarray(addressesAt, addressesAt + 20)));
    });

  const sendersOf = (blocks: readonly Block[]) =>
    blocks.flatMap(({ transactions }) => transactions.map(({ from }) => toHex(from)));

  async function mined(chain: SimulatedChain, last: number): Promise<Block[]> {
    chain.mine(last);
    return simulatedSource(chain).blocks(0, last);
  }

  test(`values are kept while blocks are added, and never of ids that were given to others (seed ${SEED})`, async (t) => {
    const { directory, remove } = makeTemporaryDirectory();
    t.after(remove);
    const chain = new SimulatedChain({ seed: SEED });
    const store = await openStore(tested.at(directory), chain.chainId);
    t.after(() => store.close());
    const blocks = await mined(chain, 40);
    await append(store, blocks.slice(0, 30));
    const reader = await openStoreReadOnly(tested.at(directory));
    t.after(() => reader.close());
    const expectSenders = async (of: readonly Block[]) => {
      for (const each of [store, reader]) assert.deepEqual(await readSenders(each), sendersOf(of));
    };
    await expectSenders(blocks.slice(0, 30));

    const values = (await store.database.all("SELECT id, value FROM address")) as [number, Uint8Array][];
    await autocommit(store.database).run("UPDATE address SET value = ?", new Uint8Array(20));
    await expectSenders(blocks.slice(0, 30));
    await autocommit(store.database).upsert("address", ["id", "value"], values);
    await append(store, blocks.slice(30));
    await expectSenders(blocks);

    chain.fork(20, 25);
    const others = await simulatedSource(chain).blocks(0, 45);
    await store.unwind(20);
    await append(store, others.slice(21));
    await expectSenders(others);
    assert.notDeepEqual(sendersOf(others), sendersOf(blocks));

    await store.clear();
    const another = await mined(new SimulatedChain({ seed: SEED + 1 }), 40);
    await append(store, another);
    await expectSenders(another);
  });
});
