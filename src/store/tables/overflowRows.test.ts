import assert from "node:assert/strict";
import { test } from "node:test";
import { autocommit } from "../../../test/support/autocommit.ts";
import { describeEngines } from "../../../test/support/engines.ts";
import { fingerprint } from "../../../test/support/fingerprint/fingerprint.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import type { Block } from "../../chain/block/block.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { STAGES } from "../../indexer/stages.ts";
import { auditStore } from "../audit/audit.ts";
import { openStore } from "../openStore.ts";
import { receiptLogsOf } from "../read/blockLogs.ts";
import { divideBody, joinBody, MAX_BODY_LENGTH, MAX_PART_LENGTH } from "../rows/dividedBody.ts";
import { MAX_CHUNK_LENGTH } from "../rows/logBody.ts";
import type { Store } from "../store.ts";
import { readFullBody } from "./overflowRows.ts";

describeEngines((tested) => {
  const SEED = firstSeed();
  /** A chain with all kinds of long transactions. */
  const VARIED_SEED = 8;
  const LONG = { transactions: [1, 6], addresses: 12, long: 0.3, deposits: true, extraFields: true } as const;

  /** Six parts of maximal length plus bounded fields. */
  const MAX_ROW_LENGTH = 6 * MAX_PART_LENGTH + 1024;

  async function mined(seed: number, blocks: number): Promise<{ chain: SimulatedChain; blocks: Block[] }> {
    const chain = new SimulatedChain({ seed, traffic: LONG });
    chain.mine(blocks);
    return { chain, blocks: await blocksOf(chain) };
  }

  const blocksOf = (chain: SimulatedChain) => simulatedSource(chain).blocks(0, chain.length);

  async function append(store: Store, blocks: readonly Block[], head: number): Promise<void> {
    await store.append({ head, blocks: blocks, stages: STAGES });
  }

  async function indexed(blocks: readonly Block[]): Promise<Store> {
    const store = await openStore(tested.memory, 677);
    await append(store, blocks, blocks.length - 1);
    return store;
  }

  const plain = (value: unknown) =>
    JSON.parse(JSON.stringify(value, (_, one) => (one instanceof Uint8Array ? Buffer.from(one).toString("hex") : one)));

  async function lengths(store: Store, table: string): Promise<number[]> {
    return (await store.database.all(`SELECT length(body) FROM ${table}`)).map(([length]) => length as number);
  }

  test(`long transactions read back as they were written, from rows of bounded size (seed ${SEED})`, async () => {
    for (let seed = SEED; seed < SEED + 3; seed++) {
      const { blocks } = await mined(seed, 12);
      const store = await indexed(blocks);

      for (const block of blocks) {
        const { number } = block.header;
        const receipts = block.receipts.map(({ logsBloom: _, ...receipt }) => receipt);
        const expected = block.transactions.map((transaction, at) => ({ transaction, receipt: receipts[at] }));
        const found = await store.latest.transactions.inBlock(number, 0, 1000);
        const label = `seed ${seed} block ${number}`;
        assert.deepEqual(
          plain(found.map(({ transaction, receipt }) => ({ transaction, receipt }))),
          plain(expected),
          label,
        );
        assert.deepEqual(
          plain(await receiptLogsOf(store.database, number)),
          plain(receipts.map(({ logs }) => ({ logs }))),
        );
        for (const [at, tx] of block.transactions.entries()) {
          const { transaction, receipt } = await store.latest.transactions.full(
            (await store.latest.transactions.byHash(tx.hash))!,
          );
          const { logs: _, ...outcome } = receipts[at]!;
          assert.deepEqual(plain({ transaction, receipt }), plain({ transaction: tx, receipt: outcome }), label);
        }
      }
      assert.ok(Math.max(...(await lengths(store, "tx"))) <= MAX_ROW_LENGTH);
      assert.ok(Math.max(...(await lengths(store, "log_chunk"))) <= MAX_CHUNK_LENGTH);
      assert.deepEqual(await store.read(auditStore), []);
      await store.close();
    }
  });

  test("a body that was divided comes together again, byte by byte, whatever was long in it", async () => {
    const store = await indexed((await mined(VARIED_SEED, 200)).blocks);
    let divided = 0;
    for (const [position, row] of (await store.database.all("SELECT position, body FROM tx")) as [number, Bytes][]) {
      const body = await readFullBody(store.database, position, row);
      assert.deepEqual(Buffer.from(joinBody(divideBody(body))), Buffer.from(body));
      if (body.length > MAX_BODY_LENGTH) divided++;
      else assert.equal(body, row);
    }
    const parts = await store.database.all(
      "SELECT DISTINCT CASE WHEN part < 5 THEN part ELSE 5 END FROM tx_part ORDER BY 1",
    );
    assert.deepEqual(parts.flat(), [0, 1, 2, 3, 4, 5]);
    assert.ok(divided > 20);
    await store.close();
  });

  test(`after reorgs long transactions are as in an index made from scratch (seed ${SEED})`, async () => {
    const { chain, blocks } = await mined(SEED, 15);
    const store = await indexed(blocks);
    for (const depth of [1, 6, 12]) {
      chain.fork(depth, depth + 1);
      const others = await blocksOf(chain);
      await store.unwind(others.length - depth - 2);
      await append(store, others.slice(-depth - 1), others.length - 1);

      const scratch = await indexed(others);
      assert.equal(await store.read(fingerprint), await scratch.read(fingerprint), `seed ${SEED} depth ${depth}`);
      await scratch.close();
    }
    assert.deepEqual(await store.read(auditStore), []);
    await store.close();
  });

  test(`tokens derived from long transactions are those that came with their blocks (seed ${SEED})`, async () => {
    const { blocks } = await mined(SEED, 12);
    const [store, derived] = [await indexed(blocks), await openStore(tested.memory, 677)];
    await derived.append({ head: blocks.length - 1, blocks: blocks });

    while ((await derived.derive(STAGES[0]!, blocks.length)) > 0);

    assert.equal(await derived.read(fingerprint), await store.read(fingerprint));
    await Promise.all([store.close(), derived.close()]);
  });

  test("audit finds any byte that is another than it was in what is divided, and rows that belong to nothing", async () => {
    const store = await indexed((await mined(VARIED_SEED, 12)).blocks);
    const { database } = store;
    for (const [table, key] of [
      ["tx", "(SELECT position FROM log_chunk LIMIT 1) = position"],
      ["tx", "(SELECT position FROM tx_part WHERE part = 0 LIMIT 1) = position"],
      ["tx_part", "part = 0"],
      ["tx_part", "part > 5"],
      ["log_chunk", "first > 0"],
    ] as const) {
      const [row] = await database.all(`SELECT position, body FROM ${table} WHERE ${key} LIMIT 1`);
      assert.ok(row, key);
      const [position, value] = row as [number, Bytes];
      const put = (bytes: Bytes, was: Bytes) =>
        autocommit(database).run(`UPDATE ${table} SET body = ? WHERE position = ? AND body = ?`, bytes, position, was);
      for (let at = 0; at < value.length; at += at < 12 ? 1 : 1 + Math.floor(value.length / 20)) {
        const damaged = value.slice();
        damaged[at]! ^= 1 << (at % 8);
        await put(damaged, value);
        assert.notDeepEqual(await store.read(auditStore), [], `${table} ${key} byte ${at}`);
        await put(value, damaged);
      }
    }
    assert.deepEqual(await store.read(auditStore), []);

    for (const [table, key, values] of [
      ["tx_part", "position", [3, 0, Buffer.alloc(1)]],
      ["log_chunk", "position", [3, 0, Buffer.alloc(1)]],
      ["unlisted_log", "block", [3, 1]],
    ] as const) {
      await autocommit(database).run(`INSERT INTO ${table} VALUES (${values.map(() => "?")})`, ...values);
      assert.notDeepEqual(await store.read(auditStore), [], table);
      await autocommit(database).run(`DELETE FROM ${table} WHERE ${key} = 3`);
    }
    await store.close();
  });

  test("chunks that are missing or empty are damage, and end no read in a loop", async () => {
    const { blocks } = await mined(VARIED_SEED, 12);
    const store = await indexed(blocks);
    const [row] = await store.database.all(
      "SELECT position, min(first) FROM log_chunk GROUP BY position HAVING count(*) > 2",
    );
    const [position, first] = row as [number, number];
    const read = () => receiptLogsOf(store.database, Math.floor(position / 2 ** 20));
    const [chunk] = await store.database.all(
      "SELECT body FROM log_chunk WHERE position = ? AND first = ?",
      position,
      first,
    );

    await autocommit(store.database).run(
      "UPDATE log_chunk SET body = ? WHERE position = ? AND first = ?",
      Buffer.alloc(0),
      position,
      first,
    );
    await assert.rejects(read(), { code: "store_corrupt" });
    await autocommit(store.database).run("DELETE FROM log_chunk WHERE position = ? AND first = ?", position, first);
    await assert.rejects(read(), { code: "store_corrupt" });
    await autocommit(store.database).insert(
      "log_chunk",
      ["position", "first", "body"],
      [[position, first, chunk![0] as Bytes]],
    );
    await read();
    await store.close();
  });
});
