import assert from "node:assert/strict";
import { test } from "node:test";
import type { TransactionSerializableEIP1559 } from "viem";
import { parseTransaction } from "viem";
import { CHAIN_ID, DevelopmentNode, EMITTER, emission } from "../../../../test/support/developmentNode.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";

interface Filled {
  readonly raw: Hex;
  readonly tx: Readonly<Record<string, unknown>>;
}

async function openNode(t: { after(clean: () => unknown): void }): Promise<DevelopmentNode> {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  return node;
}

test("a transaction is filled for a sender whose key the node does not have", async (t) => {
  const node = await openNode(t);
  const to = await node.deploy(EMITTER);
  const from = node.account.address;

  const { raw, tx } = await node.ask<Filled>("eth_fillTransaction", { from, to, input: emission(1, 2) });

  assert.deepEqual(
    [tx.from, tx.to, tx.nonce, tx.type, tx.chainId, tx.gasPrice],
    [from.toLowerCase(), to, "0x1", "0x2", "0x3c8", null],
  );
  assert.equal(tx.gas, await node.ask("eth_estimateGas", { from, to, input: emission(1, 2) }));
  const { nonce, gas, data, maxFeePerGas, maxPriorityFeePerGas } = parseTransaction(
    raw,
  ) as TransactionSerializableEIP1559;
  assert.deepEqual([nonce, gas, data], [1, BigInt(tx.gas as Hex), emission(1, 2)]);
  const fees = { maxFeePerGas: maxFeePerGas!, maxPriorityFeePerGas: maxPriorityFeePerGas! };
  const signed = await node.account.signTransaction({
    chainId: CHAIN_ID,
    nonce: nonce!,
    gas: gas!,
    data: data!,
    to,
    ...fees,
  });
  const receipt = await node.ask<{ status: Hex }>("eth_sendRawTransactionSync", signed);
  assert.equal(receipt.status, "0x1");
});

test("filling keeps what was given, and says why it cannot be filled", async (t) => {
  const node = await openNode(t);
  const [from, to] = [node.account.address, node.other.address];
  const given = { nonce: "0x9", gas: "0x5300", gasPrice: "0x77359400", value: "0x5" };

  const { tx } = await node.ask<Filled>("eth_fillTransaction", { from, to, ...given });
  const nobody = await node.ask<Filled>("eth_fillTransaction", { to, gas: "0x5208" });

  assert.deepEqual([tx.nonce, tx.gas, tx.gasPrice, tx.value, tx.type], ["0x9", "0x5300", "0x77359400", "0x5", "0x0"]);
  assert.deepEqual([nobody.tx.from, nobody.tx.nonce], [`0x${"00".repeat(20)}`, "0x0"]);
  await assert.rejects(node.ask("eth_fillTransaction", { from, to, chainId: "0x1" }), /chainId does not match/);
});

test("pending transactions of the node's accounts are listed, and eth_accounts returns these", async (t) => {
  const node = await openNode(t);
  const [from, to] = await node.ask<Hex[]>("eth_accounts");
  await node.ask("evm_setAutomine", false);
  const hash = await node.ask("eth_sendTransaction", { from, to });
  await node.ask("eth_sendUnsignedTransaction", { from: `0x${"77".repeat(20)}`, to, gas: "0x5208", gasPrice: "0x0" });

  const waiting = await node.ask<{ hash: Hex }[]>("eth_pendingTransactions");

  assert.deepEqual(
    waiting.map((each) => each.hash),
    [hash],
  );
  assert.deepEqual(await node.ask("eth_requestAccounts"), await node.ask("eth_accounts"));
});
