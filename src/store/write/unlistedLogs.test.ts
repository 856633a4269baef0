import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { describeEngines } from "../../../test/support/engines.ts";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import type { Block } from "../../chain/block/block.ts";
import type { Log } from "../../chain/block/receipt.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { STAGES } from "../../indexer/stages.ts";
import { auditStore } from "../audit/audit.ts";
import { openStore } from "../openStore.ts";
import { listableLogs, logPosition, MAX_SLOTS } from "../rows/position.ts";
import type { Store } from "../store.ts";

describeEngines((tested) => {
  const TRANSFER = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
  const EMITTERS = [1, 2, 3].map((byte) => new Uint8Array(20).fill(byte));
  const EMPTY = new Uint8Array(0);

  /** A transfer in a log without a position. */
  const TRANSFERRED: Pick<Log, "topics" | "data"> = {
    topics: fromHex(`0x${TRANSFER}${"00".repeat(12)}${"11".repeat(20)}${"00".repeat(12)}${"22".repeat(20)}`),
    data: new Uint8Array(32).fill(1),
  };

  /** The second transaction exceeds the positions, and two more follow. */
  const COUNTS = [1000, MAX_SLOTS - 1000 + 7, 5, 0, 3];
  const FIRST = COUNTS.map((_, at) => COUNTS.slice(0, at).reduce((sum, count) => sum + count, 0));
  const LOGS = COUNTS.reduce((sum, count) => sum + count, 0);
  const LISTABLE = listableLogs(COUNTS.length);
  const emitterOf = (logIndex: number) => EMITTERS[logIndex % EMITTERS.length]!;

  /** A block with more logs than positions, between two others. */
  async function blocks(): Promise<Block[]> {
    const chain = new SimulatedChain({ seed: 5, traffic: { transactions: [5, 5], long: 0, honestTokens: 1 } });
    chain.mine(3);
    const [genesis, before, crowded, after] = await simulatedSource(chain).blocks(0, chain.length);
    const receipts = crowded!.receipts.map((receipt, at) => ({
      ...receipt,
      logs: Array.from({ length: COUNTS[at]! }, (_, place): Log => {
        const logIndex = FIRST[at]! + place;
        const isTransfer = at === 2 && place === 4;
        return {
          address: emitterOf(logIndex),
          logIndex,
          ...(isTransfer ? TRANSFERRED : { topics: EMPTY, data: EMPTY }),
        };
      }),
    }));
    return [genesis!, before!, { ...crowded!, receipts }, after!];
  }

  async function append(store: Store, some: readonly Block[]): Promise<void> {
    await store.append({ head: 3, blocks: some, stages: STAGES });
  }

  async function open(t: TestContext): Promise<Store> {
    const store = await openStore(tested.memory, 677);
    t.after(() => store.close());
    return store;
  }

  test("a block with more logs than places is indexed; those without one are with their transaction alone", async (t) => {
    const store = await open(t);
    const all = await blocks();
    await append(store, all);

    assert.deepEqual(await store.latest.logs.unlisted(), { logs: LOGS - LISTABLE, blocks: 1 });
    assert.equal((await store.latest.blocks.byNumber(2))!.sums.logs, LOGS);
    for (const [at, count] of COUNTS.entries()) {
      const mined = (await store.latest.transactions.byHash(all[2]!.transactions[at]!.hash))!;
      assert.deepEqual([mined.index, mined.logs], [at, { first: FIRST[at]!, count }]);
      const last = await store.latest.logs.ofTransaction(mined, Math.max(count - 3, 0), count + 5);
      const expected = Array.from({ length: Math.min(count, 3) }, (_, i) => FIRST[at]! + Math.max(count - 3, 0) + i);
      assert.deepEqual(
        last.map(({ logIndex, address }) => [logIndex, address]),
        expected.map((logIndex) => [logIndex, Uint8Array.from(emitterOf(logIndex))]),
      );
    }
    const [token] = await store.latest.tokens.transfers.at([2 * MAX_SLOTS]);
    assert.deepEqual([token!.logIndex, token!.mined.index], [FIRST[2]! + 4, 2]);
  });

  test("lists end with the last log that has a place; the next block goes on, and unwinding leaves nothing", async (t) => {
    const store = await open(t);
    const all = await blocks();
    await append(store, all.slice(0, 2));
    const before = await store.database.all("SELECT * FROM address_log_tail ORDER BY owner");
    await append(store, all.slice(2));

    for (const [at, emitter] of EMITTERS.entries()) {
      const list = store.latest.addresses.emitted((await store.latest.addresses.id(emitter))!);
      const count = Math.ceil((LISTABLE - at) / EMITTERS.length);
      assert.equal(await list.count(), count);
      const [position] = await list.slice(count - 1, count);
      const [log] = await store.latest.logs.at([position!]);
      const logIndex = at + (count - 1) * EMITTERS.length;
      assert.deepEqual([log!.logIndex, position], [logIndex, logPosition(2, 1, logIndex)]);
    }
    assert.deepEqual(await store.read(auditStore), []);

    await store.unwind(1);

    assert.deepEqual(await store.latest.logs.unlisted(), { logs: 0, blocks: 0 });
    assert.deepEqual(await store.database.all("SELECT * FROM address_log_tail ORDER BY owner"), before);
    for (const table of ["tx_part", "log_chunk"]) {
      assert.deepEqual(await store.database.all(`SELECT count(*) FROM ${table} WHERE position >= ?`, 2 * MAX_SLOTS), [
        [0],
      ]);
    }
    assert.deepEqual(await store.read(auditStore), []);
  });
});
