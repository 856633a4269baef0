import assert from "node:assert/strict";
import { test } from "node:test";
import { DevelopmentNode, word } from "../../../test/support/developmentNode.ts";
import { waitsDuring } from "../../../test/support/otherClient.ts";
import { MAX_RESULT } from "../../jsonrpc/envelope.ts";
import { developmentGenesis } from "../developmentGenesis.ts";

const MAX_WAIT = 100;
const CONTRACT = "0x00000000000000000000000000000000000000c0";

async function expectTurns({ node }: DevelopmentNode, method: string, params: unknown[] = []): Promise<unknown> {
  const ask = (asked: string, given: unknown[]) =>
    node.handle(JSON.stringify({ jsonrpc: "2.0", id: 1, method: asked, params: given }), true);
  // Warm-up, to exclude compilation.
  await ask(method, params);
  const work = ask(method, params);
  const { answers, longest, longestCpu } = await waitsDuring(work, () => ask("eth_blockNumber", []));

  console.log(`${method}: others waited ${longest.toFixed(1)} ms at most, ${longestCpu.toFixed(1)} of them for it`);
  assert.ok(longestCpu < MAX_WAIT && answers >= 3, `${answers} answers, the longest after ${longestCpu} ms`);
  return JSON.parse((await work)!).result;
}

test("proving 1,024 slots yields to the event loop", async () => {
  const slots = Array.from({ length: 6000 }, (_, slot) => [word(slot), word(slot + 1)] as const);
  const plain = developmentGenesis({ chainId: 968, gasLimit: 30_000_000, timestamp: 1000, funded: [] });
  const alloc = { [CONTRACT]: { code: "0x00" as const, storage: Object.fromEntries(slots) } };
  const node = await DevelopmentNode.open({ genesis: { ...plain, alloc } });
  const keys = Array.from({ length: 1024 }, (_, index) => word(index * 5));

  const { storageProof } = (await expectTurns(node, "eth_getProof", [CONTRACT, keys, "latest"])) as {
    storageProof: { key: string; value: string; proof: string[] }[];
  };

  assert.deepEqual(
    storageProof.map(({ key, value }) => [key, Number(value)]),
    keys.map((key, index) => [key, index * 5 + 1]),
  );
  assert.ok(storageProof.every(({ proof }) => proof.length > 1));
  await node.close();
});

const SENDERS = Array.from({ length: 24 }, (_, index) => `0x${word(index + 1).slice(26)}`);

/** Sends transactions with some input, one per nonce and sender. */
async function fill(node: DevelopmentNode, senders: readonly string[], nonces: number, size: number): Promise<string> {
  const data = `0x${"00".repeat(size)}`;
  const price = `0x${(10 ** 9 + size * 10 ** 6).toString(16)}`;
  for (const from of senders) {
    for (let nonce = 0; nonce < nonces; nonce++) {
      const fees = { gas: "0x100000", maxFeePerGas: price, maxPriorityFeePerGas: price };
      const fields = { from, to: CONTRACT, nonce: `0x${nonce.toString(16)}`, value: "0x0", data, ...fees };
      await node.ask("eth_sendUnsignedTransaction", fields);
    }
  }
  return data;
}

test("a pool of the maximum response size is written without blocking the event loop, and a larger one is refused", async () => {
  const node = await DevelopmentNode.open({ mines: false });
  for (const sender of SENDERS) await node.ask("hardhat_setBalance", sender, "0xffffffffffffffffffffff");
  const data = await fill(node, SENDERS, 64, 7600);

  const { pending } = (await expectTurns(node, "txpool_content")) as {
    pending: Record<string, Record<string, { input: string }>>;
  };

  const all = Object.values(pending).flatMap((list) => Object.values(list));
  assert.equal(all.length, 24 * 64);
  assert.ok(all.every(({ input }) => input === data));
  const length = JSON.stringify(pending).length;
  assert.ok(length < MAX_RESULT && length > 0.9 * MAX_RESULT, `${length}`);
  await fill(node, SENDERS.slice(0, 20), 1, 60_000);
  await assert.rejects(node.ask("txpool_content"), { code: -32_003, message: /^response too large; txpool_inspect / });
  assert.equal(Object.keys((await node.ask<{ pending: object }>("txpool_inspect")).pending).length, SENDERS.length);
  await node.close();
});

/** PUSH3 count, then JUMPDEST DUP1 DUP1 MUL PUSH1 0 MSTORE PUSH1 1 SWAP1 SUB DUP1 PUSH1 4 JUMPI. */
const looping = (count: number) => `0x62${count.toString(16).padStart(6, "0")}5b8080026000526001900380600457`;

test("a trace of a quarter of a million steps is written without blocking the event loop", async () => {
  const node = await DevelopmentNode.open();
  const request = { data: looping(20_000), gas: "0x1c9c380" };

  const { structLogs } = (await expectTurns(node, "debug_traceCall", [request, "latest", {}])) as {
    structLogs: readonly { readonly op: string; readonly stack: readonly string[] }[];
  };

  assert.equal(structLogs.length, 2 + 12 * 20_000);
  assert.deepEqual([structLogs.at(-2)!.op, structLogs.at(-2)!.stack], ["JUMPI", ["0x0", "0x0", "0x4"]]);
  await node.close();
});

/** Calls of the identity precompile with 1 MB each: JUMPDEST, PUSH1 0 twice, PUSH3 size, PUSH1 0, PUSH1 4, GAS, STATICCALL. */
const CALLS_OF_A_MEGABYTE = "0x5b6000600062100000600060045afa50600056";

test("traces that would fill the memory are refused while others are answered", async () => {
  const node = await DevelopmentNode.open();
  const ask = (method: string, params: unknown[]) =>
    node.node.handle(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), true);
  const steps = { data: looping(600_000), gas: "0x2faf080" };
  const inputs = { data: CALLS_OF_A_MEGABYTE, gas: "0x2faf080" };
  for (const [request, config] of [
    [steps, {}],
    [inputs, { tracer: "callTracer" }],
    [inputs, { tracer: "flatCallTracer" }],
  ]) {
    const work = ask("debug_traceCall", [request, "latest", { ...config, timeout: "30s" }]);
    const { answers, longestCpu } = await waitsDuring(work, () => ask("eth_blockNumber", []));

    assert.match((await work)!.slice(0, 200), /"code":-32003,"message":"the trace is too large/);
    assert.ok(longestCpu < MAX_WAIT && answers >= 3, `${answers} answers, the longest after ${longestCpu} ms`);
  }
  await node.close();
});
