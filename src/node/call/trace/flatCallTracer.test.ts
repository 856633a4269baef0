import assert from "node:assert/strict";
import { test } from "node:test";
import { assemble, deploying, word } from "../../../../test/support/assembler.ts";
import { DevelopmentNode } from "../../../../test/support/developmentNode.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";

interface Flat {
  readonly action: Record<string, Hex>;
  readonly result?: Record<string, Hex>;
  readonly error?: string;
  readonly subtraces: number;
  readonly traceAddress: number[];
  readonly type: string;
  readonly blockHash: Hex | null;
  readonly blockNumber: number;
  readonly transactionHash: Hex | null;
  readonly transactionPosition: number;
}

interface Nested {
  readonly type: string;
  readonly error?: string;
  readonly gasUsed: Hex;
  readonly calls?: Nested[];
}

const call = (address: string) => `PUSH0 PUSH0 PUSH0 PUSH0 PUSH0 ${address} GAS CALL POP`;

async function deployCaller(node: DevelopmentNode): Promise<{ caller: Hex; reverting: Hex; destroyed: Hex }> {
  const reverting = await node.deploy(deploying(assemble("PUSH0 PUSH0 REVERT")));
  const destroyed = await node.deploy(deploying(assemble("CALLER SELFDESTRUCT")));
  const code = `${call(word(4))} ${call(word(reverting))} ${call(word(destroyed))} PUSH0 PUSH0 PUSH0 CREATE POP`;
  return { caller: await node.deploy(deploying(assemble(code))), reverting, destroyed };
}

test("calls are listed with their paths, without precompiled contracts, and as Parity showed them", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const { caller, reverting, destroyed } = await deployCaller(node);
  const hash = await node.send({ to: caller, gas: 500_000n });
  const trace = (config: object) => node.ask<Flat[]>("debug_traceTransaction", hash, config);

  const flat = await trace({ tracer: "flatCallTracer" });
  const all = await trace({ tracer: "flatCallTracer", tracerConfig: { includePrecompiles: true } });
  const parity = await trace({ tracer: "flatCallTracer", tracerConfig: { convertParityErrors: true } });
  const nested = (await node.ask("debug_traceTransaction", hash, { tracer: "callTracer" })) as Nested;

  const { blockHash, blockNumber } = await node.ask<Record<string, Hex>>("eth_getTransactionReceipt", hash);
  const place = { blockHash, blockNumber: Number(blockNumber), transactionHash: hash, transactionPosition: 0 };
  for (const { blockHash: b, blockNumber: n, transactionHash: h, transactionPosition: p } of flat) {
    assert.deepEqual({ blockHash: b, blockNumber: n, transactionHash: h, transactionPosition: p }, place);
  }
  assert.deepEqual(
    flat.map(({ type, traceAddress, subtraces, error }) => [type, traceAddress, subtraces, error]),
    [
      ["call", [], 3, undefined],
      ["call", [0], 0, "execution reverted"],
      ["call", [1], 1, undefined],
      ["suicide", [1, 0], 0, undefined],
      ["create", [2], 0, undefined],
    ],
  );
  assert.deepEqual(
    flat.map(({ action }) => action.callType ?? action.creationMethod),
    ["call", "call", "call", undefined, "create"],
  );
  assert.deepEqual([flat[1]!.action.to, flat[2]!.action.to], [reverting, destroyed]);
  assert.deepEqual(flat[3]!.action, { address: destroyed, balance: "0x0", refundAddress: caller });
  assert.equal(flat[0]!.result!.gasUsed, nested.gasUsed);
  assert.deepEqual([flat[1]!.result!.output, flat[4]!.result!.code], ["0x", "0x"]);
  assert.deepEqual([all.length, all[0]!.subtraces], [6, 4]);
  assert.equal(parity[1]!.error, "Reverted");
  assert.equal(nested.calls!.length, 4);
});

test("a call that is in no block is listed without one", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const { caller } = await deployCaller(node);

  const flat = await node.ask<Flat[]>("debug_traceCall", { to: caller }, "latest", { tracer: "flatCallTracer" });

  assert.equal(flat.length, 5);
  const [{ blockHash, transactionHash, blockNumber }] = flat as [Flat];
  assert.deepEqual([blockHash, transactionHash, blockNumber], [null, null, 0]);
});
