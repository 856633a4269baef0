import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { DevelopmentNode } from "../../test/support/developmentNode.ts";
import type { Hex } from "../chain/encoding/hex.ts";
import { quantity } from "../chain/encoding/hex.ts";
import { developmentGenesis } from "./developmentGenesis.ts";
import type { NodeOptions } from "./node.ts";

const MAX_INIT_CODE = 49_152;

/** Init code that deploys so many zeros. */
const creating = (bytes: number): Hex => `0x62${bytes.toString(16).padStart(6, "0")}6000f3`;

const initCode = (bytes: number): Hex => `0x${"00".repeat(bytes)}`;

async function open(t: TestContext, options: Partial<NodeOptions> = {}): Promise<DevelopmentNode> {
  const node = await DevelopmentNode.open(options);
  t.after(() => node.close());
  return node;
}

async function build(node: DevelopmentNode, data: Hex): Promise<unknown> {
  const raw = await node.sign({ to: undefined, data, gas: 10_000_000n, nonce: 0 });
  const head = await node.ask<Record<string, Hex>>("eth_getBlockByNumber", "latest", false);
  const zero = `0x${"00".repeat(32)}`;
  const fields = { prevRandao: zero, parentBeaconBlockRoot: zero, withdrawals: [] };
  const timestamp = quantity(Number(head.timestamp) + 1);
  const attributes = { ...fields, suggestedFeeRecipient: node.other.address, timestamp };
  return node.ask("testing_buildBlockV1", head.hash, attributes, [raw]);
}

async function deployed(node: DevelopmentNode, data: Hex): Promise<{ status: Hex; size: number }> {
  const hash = await node.send({ to: undefined, data, gas: 29_000_000n });
  const receipt = await node.ask<{ status: Hex; contractAddress: Hex }>("eth_getTransactionReceipt", hash);
  const code = await node.ask<Hex>("eth_getCode", receipt.contractAddress, "latest");
  return { status: receipt.status, size: code.length / 2 - 1 };
}

test("a transaction with more init code than EIP-3860 allows is refused, and no block includes it", async (t) => {
  const node = await open(t);
  const message = /max initcode size exceeded: code size 49153,? limit 49152/;

  await build(node, initCode(MAX_INIT_CODE));
  await assert.rejects(build(node, initCode(MAX_INIT_CODE + 1)), { code: -32_000, message });
  await assert.rejects(node.send({ to: undefined, data: initCode(MAX_INIT_CODE + 1), gas: 10_000_000n }), { message });
  await assert.rejects(node.ask("eth_call", { data: initCode(MAX_INIT_CODE + 1) }), { message });
});

test("before Shanghai init code may have any size", async (t) => {
  const funded = ["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"] as const;
  const genesis = developmentGenesis({ chainId: 968, gasLimit: 30_000_000, timestamp: 1, funded });
  const { shanghaiTime, cancunTime, pragueTime, ...config } = genesis.config as Record<string, unknown>;
  assert.deepEqual([shanghaiTime, cancunTime, pragueTime], [0, 0, 0]);
  const { excessBlobGas, blobGasUsed, ...fields } = genesis;
  const node = await open(t, { genesis: { ...fields, config } as unknown as typeof genesis });

  const hash = await node.send({ to: undefined, data: initCode(MAX_INIT_CODE + 1), gas: 10_000_000n });

  assert.equal((await node.ask<{ status: Hex }>("eth_getTransactionReceipt", hash)).status, "0x1");
});

test("code has at most 24,576 bytes, or as configured", async (t) => {
  const plain = await open(t);
  assert.deepEqual(await deployed(plain, creating(24_576)), { status: "0x1", size: 24_576 });
  assert.deepEqual(await deployed(plain, creating(24_577)), { status: "0x0", size: 0 });

  const larger = await open(t, { codeSizeLimit: 60_000 });
  assert.deepEqual(await deployed(larger, creating(60_000)), { status: "0x1", size: 60_000 });
  assert.deepEqual(await deployed(larger, creating(60_001)), { status: "0x0", size: 0 });
  const data = initCode(120_001);
  await assert.rejects(larger.send({ to: undefined, data, gas: 10_000_000n }), {
    message: "max initcode size exceeded: code size 120001, limit 120000",
  });
});

test("without a limit code and init code have any size that a transaction of 1 MiB can bring", async (t) => {
  const node = await open(t, { codeSizeLimit: Number.MAX_SAFE_INTEGER });

  assert.deepEqual(await deployed(node, creating(100_000)), { status: "0x1", size: 100_000 });
  assert.deepEqual(await deployed(node, initCode(500_000)), { status: "0x1", size: 0 });
  const gas = await node.ask<Hex>("eth_estimateGas", { from: node.account.address, data: creating(100_000) });
  assert.ok(BigInt(gas) > 200n * 100_000n);
  const from = node.account.address;
  const hash = await node.ask<Hex>("eth_sendTransaction", { from, data: creating(90_000) });
  const trace = await node.ask<{ output: Hex }>("debug_traceTransaction", hash, { tracer: "callTracer" });
  assert.equal(trace.output.length, 2 + 2 * 90_000);
  const large = node.send({ to: undefined, data: initCode(1 << 20), gas: 29_000_000n });
  await assert.rejects(large, { message: /^oversized data/ });
});
