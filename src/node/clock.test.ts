import assert from "node:assert/strict";
import { test } from "node:test";
import { DevelopmentNode } from "../../test/support/developmentNode.ts";
import type { Hex } from "../chain/encoding/hex.ts";
import { Clock } from "./clock.ts";

async function timesFrom(node: DevelopmentNode, first: number): Promise<number[]> {
  const head = Number(await node.ask("eth_blockNumber"));
  const times: number[] = [];
  for (let number = first; number <= head; number++) {
    const { timestamp } = await node.ask<{ timestamp: Hex }>("eth_getBlockByNumber", `0x${number.toString(16)}`, false);
    times.push(Number(timestamp));
  }
  return times;
}

test("time that is added moves the next block by as much though the head is ahead of the clock", () => {
  const clock = new Clock(() => 1000);

  assert.equal(clock.increase(60, 1500), 560);
  assert.equal(clock.peek(1500), 1560);
  assert.equal(clock.increase(40, 1500), 600);
  assert.equal(clock.take(1500), 1600);
});

test("time that is added moves the next block by as much where the head is behind the clock", () => {
  const clock = new Clock(() => 1000);

  clock.increase(60, 500);

  assert.equal(clock.take(500), 1060);
});

test("blocks mined by one call have the requested interval, one second by default", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const { clock } = node.node.context;
  const ahead = Math.floor(Date.now() / 1000) + 1000;
  await node.ask("evm_setNextBlockTimestamp", ahead);

  await node.ask("hardhat_mine", "0x3", "0x3c");
  // The clock is far ahead of the head, which affects only the first block.
  clock.set(ahead + 5000);
  await node.ask("hardhat_mine", "0x4");
  await node.ask("hardhat_mine", "0x2", "0x0");

  const [first, ...rest] = await timesFrom(node, 1);
  const distances = rest.map((time, index) => time - [first!, ...rest][index]!);
  assert.equal(first, ahead);
  assert.deepEqual(distances.slice(0, 2), [60, 60]);
  assert.ok(distances[2]! > 4000, `${distances[2]}`);
  assert.deepEqual(distances.slice(3, 6), [1, 1, 1]);
  assert.equal(distances[7], 1);
});

test("time added after a burst of blocks is added to the head", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  for (let made = 0; made < 50; made++) await node.ask("evm_mine");
  const [before] = (await timesFrom(node, 50)) as [number];

  await node.ask("evm_increaseTime", 20);
  await node.ask("evm_mine");

  const [after] = (await timesFrom(node, 51)) as [number];
  assert.ok(after - before >= 20, `${after - before}`);
});

test("blocks that follow each other at once share a second, and the head is never ahead of the clock", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());

  for (let sent = 0; sent < 30; sent++) await node.send();

  const times = await timesFrom(node, 1);
  assert.equal(times.length, 30);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
  assert.ok(times.at(-1)! <= Date.now() / 1000, `${times.at(-1)! - Date.now() / 1000} s ahead`);
});

test("a block may have the time of the one before it, as in anvil, and no earlier one", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const time = Math.floor(Date.now() / 1000) + 5000;
  await node.ask("evm_setNextBlockTimestamp", time);
  await node.ask("evm_mine");

  await node.ask("evm_setNextBlockTimestamp", time);
  await node.ask("evm_mine");
  await node.ask("evm_mine", time);

  assert.deepEqual(await timesFrom(node, 1), [time, time, time]);
  for (const method of ["evm_setNextBlockTimestamp", "evm_setTime", "evm_mine"]) {
    const message = `Timestamp ${time - 1} is lower than previous block's timestamp ${time}`;
    await assert.rejects(node.ask(method, time - 1), { code: -32_602, message });
  }
});
