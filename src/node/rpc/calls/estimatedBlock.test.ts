import assert from "node:assert/strict";
import { test } from "node:test";
import { assemble, deploying } from "../../../../test/support/assembler.ts";
import { DevelopmentNode } from "../../../../test/support/developmentNode.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";

/** Runs once in a block: it keeps the number of the block, and reverts where it finds the same. */
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
