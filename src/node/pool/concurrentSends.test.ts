import assert from "node:assert/strict";
import { test } from "node:test";
import { CHAIN_ID, DevelopmentNode } from "../../../test/support/developmentNode.ts";
import type { Hex } from "../../chain/encoding/hex.ts";

for (const isAutomine of [true, false]) {
  test(`the node finds a nonce for each of many sent at once, ${isAutomine ? "mined as they come" : "waiting"}`, async (t) => {
    const node = await DevelopmentNode.open();
    t.after(() => node.close());
    await node.ask("evm_setAutomine", isAutomine);
    const [from, to] = await node.ask<Hex[]>("eth_accounts");

    const sent = await Promise.all(
      Array.from({ length: 12 }, () => node.ask<Hex>("eth_sendTransaction", { from, to, value: "0x1" })),
    );
    await node.ask("evm_mine");

    assert.equal(new Set(sent).size, 12);
    for (const hash of sent) assert.notEqual(await node.ask("eth_getTransactionReceipt", hash), null);
    assert.equal(await node.ask("eth_getTransactionCount", from, "latest"), "0xc");
  });
}

test("of two with the same nonce that are sent at once only the first is taken", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const fields = { chainId: CHAIN_ID, nonce: 1, gas: 21_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
  const raws = await Promise.all(
    [1n, 2n, 3n].map((value) => node.account.signTransaction({ ...fields, to: node.other.address, value })),
  );

  const answers = await Promise.allSettled(raws.map((raw) => node.ask("eth_sendRawTransaction", raw)));

  assert.deepEqual(
    answers.map((answer) => (answer.status === "rejected" ? (answer.reason as Error).message : "taken")),
    ["taken", "replacement transaction underpriced", "replacement transaction underpriced"],
  );
});

test("transactions sent while blocks are made are mined in any order of arrival", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const [from, to] = await node.ask<Hex[]>("eth_accounts");
  const sent: Promise<Hex>[] = [];

  for (let round = 0; round < 30; round++) {
    sent.push(node.ask("eth_sendTransaction", { from, to, value: "0x1", gas: "0x5208" }));
    void node.ask("evm_mine");
    for (let turn = 0; turn < round; turn++) await Promise.resolve();
  }
  await Promise.all(sent);

  assert.equal(await node.ask("eth_getTransactionCount", from, "latest"), "0x1e");
  assert.deepEqual(await node.ask("txpool_status"), { pending: "0x0", queued: "0x0" });
});
