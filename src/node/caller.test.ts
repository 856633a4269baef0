import assert from "node:assert/strict";
import { test } from "node:test";
import { DevelopmentNode } from "../../test/support/developmentNode.ts";
import { threadCpuMs } from "../../test/support/threadCpu.ts";
import { eventLoopTurns } from "../../test/support/waiting.ts";

const body = (method: string, ...params: unknown[]) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

/** Endless loop: JUMPDEST, PUSH1 0, JUMP. */
const ENDLESS = "0x5b600056";
const CONTRACT = `0x${"c0".repeat(20)}`;
const endless = () => body("eth_call", { to: CONTRACT, gas: "0x2faf080" }, "latest", { [CONTRACT]: { code: ENDLESS } });

test("work for a client that has disconnected ends", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  for (const asked of [endless(), `[${Array.from({ length: 100 }, endless).join()}]`]) {
    const leaving = new AbortController();
    const start = threadCpuMs();
    const answered = node.node.handle(asked, true, leaving.signal);
    await eventLoopTurns();
    leaving.abort();
    const answer = await answered;

    assert.match(answer ?? "", /the caller has left|request timed out/);
    assert.ok(threadCpuMs() - start < 3000);
  }
});

const BLOCKS = 100_000;

test("blocks requested by a client that has disconnected are not mined, and mined ones stay", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const leaving = new AbortController();
  const mining = node.node.handle(body("anvil_mine", BLOCKS), true, leaving.signal);
  while (Number(await node.ask("eth_blockNumber")) < 1) await eventLoopTurns(1);
  await eventLoopTurns();
  leaving.abort();
  await mining;
  const height = Number(await node.ask("eth_blockNumber"));
  await node.send();

  assert.ok(height < BLOCKS);
  assert.ok(height > 1, `of the blocks after the first ${height - 1} stay`);
  assert.equal(Number(await node.ask("eth_blockNumber")), height + 1);
});

test("a block is completed although the sender of its transaction disconnects", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  await node.ask("hardhat_setCode", CONTRACT, ENDLESS);
  const raw = await node.sign({ to: CONTRACT, gas: 16_000_000n, nonce: 0 });
  const leaving = new AbortController();
  const sending = node.node.handle(body("eth_sendRawTransaction", raw), true, leaving.signal);
  await eventLoopTurns(5);
  leaving.abort();
  await sending;

  assert.equal(await node.ask("eth_blockNumber"), "0x1");
  assert.equal(await node.ask("eth_getTransactionCount", node.account.address, "latest"), "0x1");
});

test("a disconnect does not end the work of other clients", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const leaving = new AbortController();
  const [left, stayed] = [
    node.node.handle(endless(), true, leaving.signal),
    node.node.handle(body("eth_chainId"), true, new AbortController().signal),
  ];
  leaving.abort();

  assert.match((await left) ?? "", /the caller has left/);
  assert.match((await stayed) ?? "", /"result":"0x3c8"/);
});
