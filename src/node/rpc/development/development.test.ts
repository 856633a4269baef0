import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { verifyMessage, verifyTypedData } from "viem";
import { DevelopmentNode, EMITTER, emission, word } from "../../../../test/support/developmentNode.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";

/** Stores its creator's code size: SSTORE(0, EXTCODESIZE(CALLER)). */
const SIZE_OF_CALLER = "0x333b5f5500";
const ACCOUNT: Hex = `0x${"5a".repeat(20)}`;

interface Shown {
  readonly hash: Hex;
  readonly number: Hex;
  readonly timestamp: Hex;
  readonly baseFeePerGas: Hex;
  readonly gasLimit: Hex;
  readonly miner: Hex;
}

const latest = (node: DevelopmentNode) => node.ask<Shown>("eth_getBlockByNumber", "latest", false);

test("a revert brings back the head, the state, the time and what waited", async () => {
  const node = await DevelopmentNode.open();
  await node.ask("evm_setAutomine", false);
  const waiting = await node.send({ nonce: 0 });
  await node.ask("hardhat_setBalance", ACCOUNT, "0x7");
  const before = await latest(node);
  const id = await node.ask<Hex>("evm_snapshot");
  await node.ask("evm_increaseTime", 1000);
  await node.ask("hardhat_mine", "0x3");
  await node.ask("hardhat_setBalance", ACCOUNT, "0x8");

  assert.equal(await node.ask("evm_revert", id), true);

  assert.deepEqual(await latest(node), before);
  assert.equal(await node.ask("eth_getBalance", ACCOUNT, "latest"), "0x7");
  assert.equal(await node.ask("eth_getTransactionReceipt", waiting), null);
  assert.equal((await node.ask<{ hash: Hex }>("eth_getTransactionByHash", waiting)).hash, waiting);
  assert.equal(await node.ask("eth_getBlockByNumber", "0x1", false), null);
  await node.ask("evm_mine");
  const { timestamp } = await latest(node);
  assert.ok(Number(timestamp) - Date.now() / 1000 < 500, "the time that was added is gone");
  await node.close();
});

test("a snapshot is used up by going back to it, and so are the later ones", async () => {
  const node = await DevelopmentNode.open();
  const first = await node.ask<Hex>("evm_snapshot");
  const second = await node.ask<Hex>("evm_snapshot");

  assert.equal(await node.ask("evm_revert", first), true);

  assert.equal(await node.ask("evm_revert", first), false);
  assert.equal(await node.ask("evm_revert", second), false);
  assert.equal(await node.ask("evm_revert", "0x99"), false);
  await node.close();
});

test("a reset goes back to the first block and forgets every change", async () => {
  const node = await DevelopmentNode.open();
  const genesis = await latest(node);
  await node.ask("hardhat_setBalance", ACCOUNT, "0x7");
  await node.send();
  await node.ask("hardhat_mine", "0x5");

  await node.ask("hardhat_reset");

  assert.deepEqual(await latest(node), genesis);
  assert.equal(await node.ask("eth_getBalance", ACCOUNT, "latest"), "0x0");
  await assert.rejects(node.ask("hardhat_reset", { forking: { jsonRpcUrl: "http://127.0.0.1:8545" } }), {
    code: -32_602,
  });
  await node.close();
});

test("a reset forgets what later blocks were to have", async () => {
  const node = await DevelopmentNode.open();
  const { miner } = await latest(node);
  await node.ask("hardhat_setNextBlockBaseFeePerGas", `0x${"f".repeat(64)}`);
  await node.ask("hardhat_setCoinbase", ACCOUNT);

  await node.ask("hardhat_reset");
  await node.send();

  assert.equal((await latest(node)).miner, miner);
  await node.close();
});

test("what the development methods set is the state that the next block begins with, and is kept", async () => {
  const directory = mkdtempSync(join(tmpdir(), "oriel-development-"));
  const before = await DevelopmentNode.open({ directory });
  const emitter = await before.deploy(EMITTER);
  await before.ask("hardhat_setNonce", ACCOUNT, "0x9");
  await before.ask("anvil_setBalance", ACCOUNT, "0xde0b6b3a7640000");
  await before.ask("hardhat_setStorageAt", emitter, "0x5", word(77));
  await before.ask("hardhat_setCode", before.other.address, "0x602a5f5260205ff3");
  await before.close();

  const node = await DevelopmentNode.open({ directory });

  assert.equal(await node.ask("eth_getTransactionCount", ACCOUNT, "latest"), "0x9");
  assert.equal(await node.ask("eth_getStorageAt", emitter, "0x5", "latest"), word(77));
  assert.equal(await node.ask("eth_call", { to: node.other.address }), word(42));
  await node.ask("evm_mine");
  assert.equal(await node.ask("eth_getBalance", ACCOUNT, "latest"), "0xde0b6b3a7640000");
  assert.equal(await node.ask("eth_getBalance", ACCOUNT, "0x0"), "0x0");
  await node.close();
  rmSync(directory, { recursive: true });
});

test("an impersonated account sends without a key, and its block can be traced and opened again", async () => {
  const directory = mkdtempSync(join(tmpdir(), "oriel-impersonate-"));
  const node = await DevelopmentNode.open({ directory });
  const emitter = await node.deploy(EMITTER);
  const request = { from: ACCOUNT, to: emitter, data: emission(3, 4) };
  await assert.rejects(node.ask("eth_sendTransaction", request), { code: -32_000, message: "unknown account" });
  await node.ask("hardhat_setBalance", ACCOUNT, "0xde0b6b3a7640000");
  await node.ask("hardhat_impersonateAccount", ACCOUNT);

  const hash = await node.ask<Hex>("eth_sendTransaction", request);

  const receipt = await node.ask<{ from: Hex; status: Hex; gasUsed: Hex }>("eth_getTransactionReceipt", hash);
  assert.equal(receipt.from, ACCOUNT);
  assert.equal(receipt.status, "0x1");
  const trace = await node.ask<{ from: Hex; gasUsed: Hex }>("debug_traceTransaction", hash, { tracer: "callTracer" });
  assert.equal(trace.from, ACCOUNT);
  assert.equal(trace.gasUsed, receipt.gasUsed);
  await node.ask("hardhat_stopImpersonatingAccount", ACCOUNT);
  await assert.rejects(node.ask("eth_sendTransaction", request), { message: "unknown account" });
  await node.close();
  const later = await DevelopmentNode.open({ directory });
  assert.deepEqual(await later.ask("eth_getTransactionReceipt", hash), receipt);
  await later.close();
  rmSync(directory, { recursive: true });
});

test("an impersonated contract sends, keeps its code, and sees itself as it is", async () => {
  const directory = mkdtempSync(join(tmpdir(), "oriel-impersonate-"));
  const node = await DevelopmentNode.open({ directory });
  const [sender, emitter] = [await node.deploy(EMITTER), await node.deploy(EMITTER)];
  const code = await node.ask("eth_getCode", sender, "latest");
  await node.ask("hardhat_setBalance", sender, "0xde0b6b3a7640000");
  await node.ask("hardhat_impersonateAccount", sender);

  const hash = await node.ask<Hex>("eth_sendTransaction", { from: sender, to: emitter, data: emission(3, 4) });
  const size = await node.ask<Hex>("eth_sendTransaction", { from: sender, data: SIZE_OF_CALLER });

  const receipt = await node.ask<{ from: Hex; status: Hex; gasUsed: Hex }>("eth_getTransactionReceipt", hash);
  assert.deepEqual([receipt.from, receipt.status], [sender, "0x1"]);
  const made = await node.ask<{ contractAddress: Hex }>("eth_getTransactionReceipt", size);
  const reported = await node.ask<Hex>("eth_getStorageAt", made.contractAddress, "0x0", "latest");
  assert.equal(Number(reported), (String(code).length - 2) / 2);
  const trace = await node.ask<{ from: Hex; gasUsed: Hex }>("debug_traceTransaction", hash, { tracer: "callTracer" });
  assert.deepEqual([trace.from, trace.gasUsed], [sender, receipt.gasUsed]);
  await node.close();
  const later = await DevelopmentNode.open({ directory });
  assert.deepEqual(await later.ask("eth_getTransactionReceipt", hash), receipt);
  assert.equal(await later.ask("eth_getCode", sender, "latest"), code);
  assert.equal(await later.ask("eth_getTransactionCount", sender, "latest"), "0x3");
  await later.close();
  rmSync(directory, { recursive: true });
});

test("the next block has the time, the base fee, the gas limit and the miner that were asked for", async () => {
  const node = await DevelopmentNode.open();
  const time = Math.floor(Date.now() / 1000) + 5000;
  await node.ask("evm_setNextBlockTimestamp", time);
  await node.ask("hardhat_setNextBlockBaseFeePerGas", "0x7b");
  await node.ask("evm_setBlockGasLimit", "0x1312d00");
  await node.ask("hardhat_setCoinbase", ACCOUNT);

  await node.ask("evm_mine");

  const block = await latest(node);
  assert.equal(Number(block.timestamp), time);
  assert.deepEqual([block.baseFeePerGas, block.gasLimit, block.miner], ["0x7b", "0x1312d00", ACCOUNT]);
  await node.ask("evm_mine");
  const next = await latest(node);
  assert.ok(Number(next.timestamp) >= time && Number(next.timestamp) < time + 100, "time goes on from there");
  assert.deepEqual([next.gasLimit, next.miner], ["0x1312d00", ACCOUNT]);
  await assert.rejects(node.ask("evm_setNextBlockTimestamp", time - 1), {
    code: -32_602,
    message: /is lower than previous block's timestamp/,
  });
  await node.close();
});

test("many blocks are mined some seconds apart", async () => {
  const node = await DevelopmentNode.open();
  await node.ask("evm_mine");
  const first = Number((await latest(node)).timestamp);

  await node.ask("hardhat_mine", "0x4", "0x3c");

  const last = await latest(node);
  assert.equal(last.number, "0x5");
  assert.ok(Number(last.timestamp) - first >= 180);
  await assert.rejects(node.ask("hardhat_mine", "0xffffff"), { code: -32_602 });
  await node.close();
});

test("with automine off nothing is mined until it is on again", async () => {
  const node = await DevelopmentNode.open();
  await node.ask("evm_setAutomine", false);
  const hash = await node.send();
  assert.equal(await node.ask("eth_getTransactionReceipt", hash), null);
  assert.equal(await node.ask("hardhat_getAutomine"), false);

  await node.ask("evm_setAutomine", true);

  assert.notEqual(await node.ask("eth_getTransactionReceipt", hash), null);
  await node.close();
});

test("a node of a block time mines at its interval what has come", async () => {
  const node = await DevelopmentNode.open({ blockTime: 1 });
  const hash = await node.send();
  assert.equal(await node.ask("eth_getTransactionReceipt", hash), null);

  const receipt = await node.ask<{ transactionHash: Hex }>("eth_sendRawTransactionSync", await signedNext(node));

  assert.ok(receipt.transactionHash);
  assert.notEqual(await node.ask("eth_getTransactionReceipt", hash), null);
  await node.close();
});

test("a receipt that does not come in time is an error that has the hash", async () => {
  const node = await DevelopmentNode.open({ mines: false });

  await assert.rejects(node.ask("eth_sendRawTransactionSync", await signedNext(node, 0), "0x32"), {
    code: 4,
    data: /^0x[0-9a-f]{64}$/,
  });
  await node.close();
});

async function signedNext(node: DevelopmentNode, nonce = 1): Promise<Hex> {
  return node.account.signTransaction({
    ...{ type: "eip1559", chainId: 968, nonce, gas: 21_000n, to: ACCOUNT },
    ...{ maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n },
  });
}

test("messages and typed data are signed with the account's key", async () => {
  const node = await DevelopmentNode.open();
  const { address } = node.account;
  const typed = {
    types: {
      EIP712Domain: [
        { name: "name", type: "string" },
        { name: "chainId", type: "uint256" },
      ],
      Order: [
        { name: "amounts", type: "uint256[]" },
        { name: "maker", type: "Person" },
      ],
      Person: [
        { name: "wallet", type: "address" },
        { name: "memo", type: "string" },
        { name: "delta", type: "int64" },
      ],
    },
    primaryType: "Order",
    domain: { name: "Oriel", chainId: 968 },
    message: { amounts: ["1", 2, "0x3"], maker: { wallet: ACCOUNT, memo: "hello", delta: -5 } },
  } as const;

  const signed = await node.ask<Hex>("personal_sign", "0x68656c6c6f", address);
  const typedSignature = await node.ask<Hex>("eth_signTypedData_v4", address, JSON.stringify(typed));

  assert.equal(await node.ask("eth_sign", address, "0x68656c6c6f"), signed);
  assert.ok(await verifyMessage({ address, message: "hello", signature: signed }));
  const domain = { name: "Oriel", chainId: 968n };
  const message = { ...typed.message, amounts: [1n, 2n, 3n], maker: { ...typed.message.maker, delta: -5n } };
  assert.ok(await verifyTypedData({ ...typed, domain, message, address, signature: typedSignature }));
  assert.equal(await node.ask("eth_signTypedData_v4", address, typed), typedSignature);
  await assert.rejects(node.ask("eth_sign", ACCOUNT, "0x00"), { code: -32_000, message: "unknown account" });
  await assert.rejects(node.ask("eth_signTypedData_v4", address, "{"), { code: -32_602 });
  await node.close();
});
