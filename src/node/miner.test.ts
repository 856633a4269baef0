import assert from "node:assert/strict";
import { test } from "node:test";
import { DevelopmentNode } from "../../test/support/developmentNode.ts";
import type { Hex } from "../chain/encoding/hex.ts";
import { fromHex, toHex } from "../chain/encoding/hex.ts";
import { environmentOf } from "./call/environment.ts";
import { decodeRawTransaction } from "./pool/decodeRawTransaction.ts";

const blockNumber = async (node: DevelopmentNode) => Number(await node.ask("eth_blockNumber"));

test("what comes while the miner is held waits, and is mined when it is released", async () => {
  const node = await DevelopmentNode.open();
  const { miner } = node.node.context;
  miner.pause();
  const hash = await node.send();
  await node.ask("evm_setAutomine", true);
  assert.equal(await blockNumber(node), 0);

  await miner.resume();

  const receipt = await node.ask<{ blockNumber: Hex }>("eth_getTransactionReceipt", hash);
  assert.equal(Number(receipt.blockNumber), 1);
  await node.close();
});

test("a block of given transactions leaves alone what waits, the clock, and what the next block is to have", async () => {
  const node = await DevelopmentNode.open();
  const { miner, chain } = node.node.context;
  miner.pause();
  const waiting = await node.send();
  const fields = { type: "eip1559", chainId: 968, nonce: 0, gas: 21_000n, to: node.account.address } as const;
  const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
  const raw = fromHex(await node.other.signTransaction({ ...fields, ...fees }));
  const tx = decodeRawTransaction(raw, chain.rules.fork("prague"), false);
  await node.ask("evm_setNextBlockTimestamp", 1_900_000_000);

  const { header, transactions } = await miner.mineTransactions([tx], {
    timestamp: 1_700_000_500,
    extraData: fromHex("0xaa"),
  });

  assert.deepEqual([header.timestamp, toHex(header.extraData)], [1_700_000_500, "0xaa"]);
  assert.deepEqual(
    transactions.map(({ hash }) => toHex(hash)),
    [toHex(tx.transaction.hash)],
  );
  await miner.resume();
  const next = await node.ask<{ timestamp: Hex; transactions: Hex[] }>("eth_getBlockByNumber", "latest", false);
  assert.deepEqual([Number(next.timestamp), next.transactions], [1_900_000_000, [waiting]]);
  await node.close();
});

test("genesis can fund accounts outside the mnemonic", async () => {
  const address = `0x${"12".repeat(20)}` as const;
  const node = await DevelopmentNode.open({ funded: [address] });

  assert.equal(await node.ask("eth_getBalance", address, "latest"), "0x21e19e0c9bab2400000");
  await node.close();
});

test("a transaction that cannot be mined yet makes no block, and is mined with the one it waits for", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const [from, other] = [node.account.address, node.other.address];

  const ahead = await node.send({ nonce: 1 });
  const cheap = { gas: "0x5208", maxFeePerGas: "0x1", maxPriorityFeePerGas: "0x1" };
  await node.ask("evm_setAutomine", false);
  await node.ask("eth_sendTransaction", { from: other, to: from, ...cheap });
  await node.ask("evm_setAutomine", true);
  const before = await node.ask("eth_blockNumber");
  await node.send({ nonce: 0 });

  assert.equal(before, "0x0");
  assert.equal(await node.ask("eth_blockNumber"), "0x1");
  const receipt = await node.ask<{ blockNumber: string }>("eth_getTransactionReceipt", ahead);
  assert.equal(receipt.blockNumber, "0x1");
  assert.deepEqual(await node.ask("txpool_status"), { pending: "0x1", queued: "0x0" });
});

test("a transaction that offers less than the base fee is refused where it would be mined at once, and else waits", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const { address: from } = node.account;
  const send = () => node.ask("eth_sendTransaction", { from, to: from, gas: "0x5208", gasPrice: "0x1" });
  const refusal = {
    code: -32_000,
    message: /^max fee per gas less than block base fee: address 0x\w{40}, maxFeePerGas: 1, baseFee: 875000000$/,
  };

  await assert.rejects(send(), refusal);
  await assert.rejects(node.send({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }), { code: -32_000 });
  await node.ask("hardhat_setNextBlockBaseFeePerGas", "0x1");
  await send();
  await node.ask("evm_setAutomine", false);
  await send();

  assert.equal(await node.ask("eth_blockNumber"), "0x1");
  assert.deepEqual(await node.ask("txpool_status"), { pending: "0x1", queued: "0x0" });
});

test("calls on the pending block run at its state, and see its fields", async () => {
  const node = await DevelopmentNode.open();
  const { miner, chain } = node.node.context;
  miner.pause();
  await node.send();
  await node.ask("hardhat_setPrevRandao", `0x${"77".repeat(32)}`);

  const { block } = await miner.pending();
  const { header, machine } = await miner.pendingState();

  assert.equal(block.transactions.length, 1);
  assert.equal(toHex(await machine.state.getStateRoot()), toHex(block.stateRoot));
  const [seen, expected] = [header, block.header].map((fields) => environmentOf(fields, chain.rules).header);
  assert.equal(seen!.getBlobGasPrice(), expected!.getBlobGasPrice());
  assert.deepEqual({ ...seen, getBlobGasPrice: 0 }, { ...expected, getBlobGasPrice: 0 });
  await node.close();
});
