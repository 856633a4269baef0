import assert from "node:assert/strict";
import { test } from "node:test";
import { assemble, deploying } from "../../../../test/support/assembler.ts";
import { DevelopmentNode } from "../../../../test/support/developmentNode.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";

/** Runs once per block: stores the block number and reverts if it is already there. */
const ONCE_IN_A_BLOCK = assemble(
  "NUMBER PUSH0 SLOAD LT PUSH1 0a JUMPI PUSH0 PUSH0 REVERT JUMPDEST NUMBER PUSH0 SSTORE",
);

test("an estimate is for the block that the transaction will be in where each has its own", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const to = await node.deploy(deploying(ONCE_IN_A_BLOCK));
  await node.send({ to });

  const gas = await node.ask<Hex>("eth_estimateGas", { from: node.account.address, to });
  const hash = await node.send({ to, gas: BigInt(gas) });

  assert.equal((await node.ask<{ status: Hex }>("eth_getTransactionReceipt", hash)).status, "0x1");
  await assert.rejects(node.ask("eth_estimateGas", { from: node.account.address, to }, "latest"), /reverted/);
  await assert.rejects(node.ask("eth_call", { from: node.account.address, to }), /reverted/);
});

test("an estimate is for the head where blocks come at their own time", async (t) => {
  const node = await DevelopmentNode.open({ mines: false });
  t.after(() => node.close());
  await node.send({ to: undefined, data: deploying(ONCE_IN_A_BLOCK) });
  await node.ask("evm_mine");
  const to = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
  await node.send({ to });
  await node.ask("evm_mine");

  await assert.rejects(node.ask("eth_estimateGas", { from: node.account.address, to }), /reverted/);
  await node.ask("eth_estimateGas", { from: node.account.address, to }, "pending");
});

/** Counts calls in slot 0; later calls are more expensive. */
const DEARER_LATER = assemble(
  "PUSH0 SLOAD DUP1 PUSH1 01 ADD PUSH0 SSTORE PUSH1 0c JUMPI STOP JUMPDEST PUSH1 01 PUSH1 05 SSTORE PUSH1 01 PUSH1 06 SSTORE",
);

async function statusOf(node: DevelopmentNode, hash: Hex): Promise<Hex> {
  return (await node.ask<{ status: Hex }>("eth_getTransactionReceipt", hash)).status;
}

test("an estimate is for the state after what is pending, though blocks come at their own time", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const to = await node.deploy(deploying(DEARER_LATER));
  await node.ask("evm_setAutomine", false);
  const first = await node.send({ to });

  const gas = await node.ask<Hex>("eth_estimateGas", { from: node.account.address, to });
  const second = await node.send({ to, gas: BigInt(gas) });
  await node.ask("evm_mine");

  assert.deepEqual([await statusOf(node, first), await statusOf(node, second)], ["0x1", "0x1"]);
});

for (const isAutomine of [true, false]) {
  test(`accounts that send at once without gas have enough, ${isAutomine ? "mined as they come" : "waiting"}`, async (t) => {
    const node = await DevelopmentNode.open();
    t.after(() => node.close());
    const to = await node.deploy(deploying(DEARER_LATER));
    await node.ask("evm_setAutomine", isAutomine);
    const senders = await node.ask<Hex[]>("eth_accounts");

    const sent = await Promise.all(senders.map((from) => node.ask<Hex>("eth_sendTransaction", { from, to })));
    await node.ask("evm_mine");

    const statuses = await Promise.all(sent.map((hash) => statusOf(node, hash)));
    assert.deepEqual(statuses, ["0x1", "0x1", "0x1"]);
    await assert.rejects(node.ask("eth_sendTransaction", { to }), /unknown account/);
  });
}

test("estimates that are asked for together are enough for transactions that are sent together", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const to = await node.deploy(deploying(DEARER_LATER));
  const senders = await node.ask<Hex[]>("eth_accounts");
  const estimate = (from: Hex) => node.ask<Hex>("eth_estimateGas", { from, to });

  const gases = await Promise.all(senders.map(estimate));
  const sent = await Promise.all(
    senders.map((from, index) => node.ask<Hex>("eth_sendTransaction", { from, to, gas: gases[index] })),
  );

  assert.deepEqual(await Promise.all(sent.map((hash) => statusOf(node, hash))), ["0x1", "0x1", "0x1"]);
  assert.ok(Number(gases[1]) > Number(gases[0]) + 20_000, gases.join());
  assert.equal(await estimate(senders[0]!), await estimate(senders[0]!), "one after another they are the same");
});

test("an estimate that those before it would make fail is made as if it were alone", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const [from] = await node.ask<Hex[]>("eth_accounts");
  const balance = BigInt(await node.ask<Hex>("eth_getBalance", from, "latest"));
  const request = { from, to: node.other.address, value: `0x${(balance - 10n ** 18n).toString(16)}` };

  const gases = await Promise.all([1, 2].map(() => node.ask<Hex>("eth_estimateGas", request)));

  assert.deepEqual(gases.map(Number), [21_000, 21_000]);
});

test("hardhat's estimates hold one after another, until what it estimated is sent", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const to = await node.deploy(deploying(DEARER_LATER));
  const [first, second] = await node.ask<Hex[]>("eth_accounts");
  const ask = async (method: string, request: object) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [request] });
    return (JSON.parse((await node.node.handle(body, true, undefined, true))!) as { result: Hex }).result;
  };

  const gases = [await ask("eth_estimateGas", { from: first, to }), await ask("eth_estimateGas", { from: second, to })];
  const sent = [
    await ask("eth_sendTransaction", { from: first, to, gas: gases[0] }),
    await ask("eth_sendTransaction", { from: second, to, gas: gases[1] }),
  ];
  const alone = await node.ask<Hex>("eth_estimateGas", { from: first, to });

  assert.deepEqual(await Promise.all(sent.map((hash) => statusOf(node, hash))), ["0x1", "0x1"]);
  assert.ok(Number(gases[1]) > Number(gases[0]) + 20_000, gases.join());
  assert.equal(await ask("eth_estimateGas", { from: first, to }), alone, "nothing is expected after both were sent");
});
