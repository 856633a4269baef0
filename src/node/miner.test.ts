import assert from "node:assert/strict";
import { test } from "node:test";
import { DevelopmentNode } from "../../test/support/developmentNode.ts";

test("a transaction that cannot be mined yet makes no block, and is mined with the one it waits for", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const [from, other] = [node.account.address, node.other.address];

  const ahead = await node.send({ nonce: 1 });
  const cheap = { gas: "0x5208", maxFeePerGas: "0x1", maxPriorityFeePerGas: "0x1" };
  await node.ask("eth_sendTransaction", { from: other, to: from, ...cheap });
  const before = await node.ask("eth_blockNumber");
  await node.send({ nonce: 0 });

  assert.equal(before, "0x0");
  assert.equal(await node.ask("eth_blockNumber"), "0x1");
  const { blockNumber } = await node.ask<{ blockNumber: string }>("eth_getTransactionReceipt", ahead);
  assert.equal(blockNumber, "0x1");
  assert.deepEqual(await node.ask("txpool_status"), { pending: "0x1", queued: "0x0" });
});
