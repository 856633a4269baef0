import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { DevelopmentNode, EMITTER } from "../../test/support/developmentNode.ts";
import { CAN_LIMIT, limitFiles } from "../../test/support/fileLimit.ts";
import { temporaryDirectory } from "../../test/support/program.ts";
import { eventLoopTurns } from "../../test/support/waiting.ts";
import type { Hex } from "../chain/encoding/hex.ts";
import { isFull, mapWriteError } from "./databaseError.ts";

const FULL = { code: -32_000, message: /^the chain cannot be written, the disk may be full: / };

/** Leaves no disk space until the returned function is called. */
function fill(t: TestContext, directory: string): () => void {
  t.after(() => limitFiles());
  limitFiles(statSync(join(directory, "node.sqlite-wal")).size);
  return () => limitFiles();
}

test("a statement that fails for lack of space is reported as such", () => {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE rows (value BLOB); PRAGMA max_page_count = 3;");
  let reported: unknown;
  try {
    database.prepare("INSERT INTO rows VALUES (zeroblob(100000))").run();
  } catch (error) {
    reported = mapWriteError(error);
  }
  database.close();

  assert.ok(isFull(reported));
  assert.match((reported as Error).message, /database or disk is full$/);
});

test("a transaction that finds no room is refused in words, and never mined", { skip: !CAN_LIMIT }, async (t) => {
  const directory = temporaryDirectory(t);
  const node = await DevelopmentNode.open({ directory });
  await node.send({ nonce: 0 });
  const free = fill(t, directory);

  const raws = [await node.sign({ nonce: 1 }), await node.sign({ nonce: 2 }), await node.sign({ nonce: 1, value: 5n })];
  for (const raw of raws) await assert.rejects(node.ask("eth_sendRawTransaction", raw), FULL);
  await assert.rejects(node.ask("evm_mine"), FULL);
  assert.equal(await node.ask("eth_blockNumber"), "0x1");
  assert.equal(await node.ask("eth_getTransactionCount", node.account.address, "pending"), "0x1");
  assert.deepEqual(await node.ask("txpool_status"), { pending: "0x0", queued: "0x0" });

  free();
  const hash = await node.send({ nonce: 1, value: 7n });
  const { transactions } = await node.ask<{ transactions: Hex[] }>("eth_getBlockByNumber", "0x2", false);
  assert.deepEqual(transactions, [hash]);
  await node.close();

  const again = await DevelopmentNode.open({ directory });
  assert.equal(await again.ask("eth_blockNumber"), "0x2");
  assert.deepEqual(await again.ask("txpool_status"), { pending: "0x0", queued: "0x0" });
  await again.close();
});

test("of transactions sent at once, exactly those are mined that were not refused", { skip: !CAN_LIMIT }, async (t) => {
  const directory = temporaryDirectory(t);
  const node = await DevelopmentNode.open({ directory });
  const emitter = await node.deploy(EMITTER);
  const data = `0x${"ab".repeat(4000)}`;
  const raws = await Promise.all(
    Array.from({ length: 60 }, (_, index) => node.sign({ nonce: index + 1, to: emitter, data, gas: 400_000n })),
  );
  t.after(() => limitFiles());
  limitFiles(statSync(join(directory, "node.sqlite-wal")).size + 200_000);
  let refused = 0;

  const sending = raws.map(async (raw, index) => {
    await eventLoopTurns(index);
    return await node.ask<Hex>("eth_sendRawTransaction", raw).catch((error: Error) => {
      assert.match(error.message, FULL.message);
      // Space becomes available halfway.
      if (++refused === 10) limitFiles();
      return undefined;
    });
  });
  const accepted = (await Promise.all(sending)).filter((hash) => hash !== undefined);
  await node.ask("evm_mine");

  const mined: Hex[] = [];
  for (let number = 2; number <= Number(await node.ask("eth_blockNumber")); number++) {
    const id = `0x${number.toString(16)}`;
    mined.push(...(await node.ask<{ transactions: Hex[] }>("eth_getBlockByNumber", id, false)).transactions);
  }
  const waiting = Object.values((await node.ask<{ queued: Record<string, object> }>("txpool_content")).queued);
  const waitingHashes = waiting.flatMap((list) => Object.values(list).map(({ hash }: { hash: Hex }) => hash));
  console.log(`${mined.length} mined, ${waitingHashes.length} waiting, ${refused} refused`);
  assert.ok(refused >= 10 && mined.length > 0);
  assert.deepEqual([...mined, ...waitingHashes].sort(), accepted.sort());
  await node.close();
});

test("what cannot be kept pending is refused, and gone", { skip: !CAN_LIMIT }, async (t) => {
  const directory = temporaryDirectory(t);
  const node = await DevelopmentNode.open({ directory, mines: false });
  await node.send({ nonce: 0 });
  const free = fill(t, directory);

  await assert.rejects(node.send({ nonce: 1 }), FULL);
  await assert.rejects(node.send({ nonce: 9 }), FULL);
  assert.deepEqual(await node.ask("txpool_status"), { pending: "0x1", queued: "0x0" });
  const snapshot = await node.ask("evm_snapshot");
  await assert.rejects(node.ask("evm_revert", snapshot), FULL);
  await assert.rejects(node.ask("hardhat_setBalance", node.account.address, "0x1"), FULL);

  free();
  assert.equal(await node.ask("evm_revert", snapshot), true);
  await node.ask("evm_mine");
  const { transactions } = await node.ask<{ transactions: Hex[] }>("eth_getBlockByNumber", "latest", false);
  assert.equal(transactions.length, 1);
  await node.close();
});
