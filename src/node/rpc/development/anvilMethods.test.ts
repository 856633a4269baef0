import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeAbiParameters, keccak256 } from "viem";
import { contractNamed } from "../../../../test/support/contracts.ts";
import { DevelopmentNode, EMITTER, emission, word } from "../../../../test/support/developmentNode.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";

const ACCOUNT: Hex = `0x${"5d".repeat(20)}`;
const OTHER: Hex = `0x${"0d".repeat(20)}`;

interface Shown {
  readonly hash: Hex;
  readonly number: Hex;
  readonly timestamp: Hex;
  readonly transactions: readonly Hex[];
}

async function openNode(t: { after(clean: () => unknown): void }): Promise<DevelopmentNode> {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  return node;
}

const blockAt = (node: DevelopmentNode, block: string | number) =>
  node.ask<Shown>("eth_getBlockByNumber", block, false);

test("a rollback takes blocks back with their state, their transactions and later snapshots", async (t) => {
  const node = await openNode(t);
  await node.send({ to: ACCOUNT, value: 1n });
  const before = await blockAt(node, "latest");
  const hash = await node.send({ to: ACCOUNT, value: 2n });
  const snapshot = await node.ask("evm_snapshot");
  await node.send({ to: ACCOUNT, value: 4n });

  assert.equal(await node.ask("anvil_rollback", 2), null);

  assert.deepEqual(await blockAt(node, "latest"), before);
  assert.equal(await node.ask("eth_getBalance", ACCOUNT, "latest"), "0x1");
  assert.equal(await node.ask("eth_getTransactionByHash", hash), null);
  assert.equal(await node.ask("evm_revert", snapshot), false);
  await node.ask("anvil_rollback", null);
  assert.equal(await node.ask("eth_blockNumber"), "0x0");
  await assert.rejects(node.ask("anvil_rollback", 1), {
    code: -32_602,
    message: "Rollback depth must not exceed current chain height: current height 0, depth 1",
  });
  await node.send({ nonce: 0, to: ACCOUNT, value: 8n });
  assert.equal(await node.ask("eth_getBalance", ACCOUNT, "latest"), "0x8");
});

test("a reorg puts other blocks in the place of the newest, with the transactions it is given", async (t) => {
  const node = await openNode(t);
  const from = node.account.address;
  await node.ask("hardhat_mine", "0x5");
  const before = await Promise.all([1, 2, 3, 4, 5].map((number) => blockAt(node, number)));
  const raw = await node.other.signTransaction({
    ...{ type: "eip1559", chainId: 968, nonce: 0, gas: 21_000n, to: OTHER, value: 7n },
    ...{ maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n },
  });
  const transfer = { from, to: ACCOUNT, value: "0x1" };

  await node.ask("anvil_reorg", 3, [
    [transfer, 0],
    [transfer, 0],
    [raw, 2],
  ]);

  const after = await Promise.all([1, 2, 3, 4, 5].map((number) => blockAt(node, number)));
  assert.deepEqual(after.slice(0, 2), before.slice(0, 2));
  for (const [index, block] of after.slice(2).entries()) assert.notEqual(block.hash, before[index + 2]!.hash);
  assert.deepEqual(
    after.map(({ transactions, timestamp }) => [transactions.length, timestamp]),
    before.map(({ timestamp }, index) => [[0, 0, 2, 0, 1][index], timestamp]),
  );
  assert.equal(await node.ask("eth_getBalance", ACCOUNT, "latest"), "0x2");
  assert.equal(await node.ask("eth_getBalance", OTHER, "latest"), "0x7");
  await assert.rejects(node.ask("anvil_reorg", 6, []), /current height 5, depth 6$/);
  await assert.rejects(node.ask("anvil_reorg", 2, [[raw, 2]]), /must not exceed \(depth-1\) 1$/);
});

test("balances and allowances of a token are set, whatever it stores besides", async (t) => {
  const node = await openNode(t);
  const { bytecode } = contractNamed("ERC20PresetFixedSupply");
  const types = [{ type: "string" }, { type: "string" }, { type: "uint256" }, { type: "address" }] as const;
  const args = encodeAbiParameters(types, ["Token", "TOK", 1000n, node.account.address]);
  const hash = await node.send({ to: undefined, gas: 5_000_000n, data: `${bytecode}${args.slice(2)}` });
  const { contractAddress: token } = await node.ask<{ contractAddress: Hex }>("eth_getTransactionReceipt", hash);
  const read = (signature: string, ...addresses: Hex[]) => {
    const data = addresses.map((address) => address.slice(2).padStart(64, "0")).join("");
    const selector = keccak256(Buffer.from(signature)).slice(0, 10);
    return node.ask<Hex>("eth_call", { to: token, data: `${selector}${data}` });
  };

  assert.equal(await node.ask("anvil_dealERC20", ACCOUNT, token, "0x3039"), null);
  assert.equal(await node.ask("anvil_setERC20Allowance", ACCOUNT, OTHER, token, "0x7b"), null);

  assert.equal(await read("balanceOf(address)", ACCOUNT), word(12_345));
  assert.equal(await read("allowance(address,address)", ACCOUNT, OTHER), word(123));
  assert.equal(await read("balanceOf(address)", node.account.address), word(1000));
  assert.equal(await read("totalSupply()"), word(1000));
  await assert.rejects(node.ask("anvil_dealERC20", ACCOUNT, OTHER, "0x1"), /no slot/);
});

test("blocks that were mined are answered whole where it is asked", async (t) => {
  const node = await openNode(t);
  await node.ask("evm_setAutomine", false);
  const hash = await node.send();

  const blocks = await node.ask<{ transactions: { hash: Hex }[] }[]>("evm_mine_detailed", { blocks: 2 });

  assert.deepEqual(
    blocks[0]!.transactions.map((tx) => tx.hash),
    [hash],
  );
  assert.deepEqual(blocks, [
    await node.ask("eth_getBlockByNumber", "0x1", true),
    await node.ask("eth_getBlockByNumber", "0x2", true),
  ]);
});

test("an account is shown in one answer, with its roots or with its code", async (t) => {
  const node = await openNode(t);
  const emitter = await node.deploy(EMITTER);
  await node.send({ to: emitter, data: emission(1, 5) });
  const proof = await node.ask<Record<string, Hex>>("eth_getProof", emitter, [], "latest");
  const code = await node.ask("eth_getCode", emitter, "latest");

  const { balance, codeHash, nonce, storageHash } = proof;
  assert.deepEqual(await node.ask("eth_getAccount", emitter, "latest"), {
    ...{ balance, codeHash, nonce },
    storageRoot: storageHash,
  });
  assert.deepEqual(await node.ask("eth_getAccountInfo", emitter, "latest"), { balance, code, nonce });
  assert.deepEqual(await node.ask("eth_getAccountInfo", ACCOUNT), { balance: "0x0", code: "0x", nonce: "0x0" });
});

test("a block is named by a JSON number as by a quantity", async (t) => {
  const node = await openNode(t);
  await node.send();

  assert.deepEqual(await blockAt(node, 1), await blockAt(node, "0x1"));
  assert.equal(await node.ask("eth_getBalance", node.other.address, 0), "0x21e19e0c9bab2400000");
  assert.equal(await blockAt(node, 99), null);
  await assert.rejects(blockAt(node, -1), { code: -32_602 });
  await assert.rejects(blockAt(node, 1.5), { code: -32_602 });
});

test("a transaction is sent and its receipt answered in one call", async (t) => {
  const node = await openNode(t);
  const request = { from: node.account.address, to: ACCOUNT, value: "0x9" };

  const receipt = await node.ask<{ transactionHash: Hex }>("eth_sendTransactionSync", request, "0x1388");

  assert.deepEqual(receipt, await node.ask("eth_getTransactionReceipt", receipt.transactionHash));
  assert.equal(await node.ask("eth_getBalance", ACCOUNT, "latest"), "0x9");
});

test("rpc_modules lists the allowed namespaces", async (t) => {
  const node = await openNode(t);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "rpc_modules", params: [] });

  const trusted = await node.ask<object>("rpc_modules");
  const open = JSON.parse((await node.node.handle(body, false))!) as { result: object };

  assert.deepEqual(open.result, { eth: "1.0", net: "1.0", rpc: "1.0", web3: "1.0" });
  assert.deepEqual(
    Object.keys(trusted).join(" "),
    "anvil debug eth evm hardhat net ots personal rpc tenderly testing trace txpool web3",
  );
});

test("all names of the method sign typed data identically", async (t) => {
  const node = await openNode(t);
  const typed = {
    types: { EIP712Domain: [{ name: "name", type: "string" }], Note: [{ name: "text", type: "string" }] },
    ...{ primaryType: "Note", domain: { name: "Oriel" }, message: { text: "hello" } },
  };
  const names = ["eth_signTypedData", "eth_signTypedData_v3", "eth_signTypedData_v4"];

  const signed = await Promise.all(names.map((name) => node.ask(name, node.account.address, typed)));

  assert.equal(new Set(signed).size, 1);
  // The first version of the method took a list of values.
  const list = [{ type: "string", name: "text", value: "hello" }];
  await assert.rejects(node.ask("eth_signTypedData", node.account.address, list), { code: -32_602 });
});
