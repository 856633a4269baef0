import assert from "node:assert/strict";
import { test } from "node:test";
import { assemble, deploying, word } from "../../../../test/support/assembler.ts";
import { CodeChain, SENDER } from "../../../../test/support/codeChain.ts";
import { toHex } from "../../../chain/encoding/hex.ts";

const [A, B] = ["0x00000000000000000000000000000000000000c0", "0x00000000000000000000000000000000000000d0"] as const;
const hex32 = (value: number) => `0x${value.toString(16).padStart(64, "0")}`;

interface StructLog {
  readonly pc: number;
  readonly op: string;
  readonly gas: number;
  readonly gasCost: number;
  readonly depth: number;
  readonly stack?: readonly string[];
  readonly memory?: readonly string[];
  readonly storage?: object;
  readonly returnData?: string;
  readonly error?: string;
  readonly refund?: number;
}

interface Structs {
  readonly gas: number;
  readonly failed: boolean;
  readonly returnValue: string;
  readonly structLogs: readonly StructLog[];
}

async function structs(code: string, config: object = {}, inner = "STOP", gas = "0xf4240"): Promise<Structs> {
  const contracts = { [A]: { code: assemble(code) }, [B]: { code: assemble(inner) } };
  const chain = await CodeChain.open(contracts);
  return (await chain.ask("debug_traceCall", { from: SENDER, to: A, gas }, "latest", config)) as Structs;
}

test("each instruction is logged before it runs, and code without STOP ends", async () => {
  const { structLogs, failed, gas, returnValue } = await structs("PUSH1 02 PUSH1 03 ADD");

  assert.deepEqual(structLogs, [
    { pc: 0, op: "PUSH1", gas: 979_000, gasCost: 3, depth: 1, stack: [] },
    { pc: 2, op: "PUSH1", gas: 978_997, gasCost: 3, depth: 1, stack: ["0x2"] },
    { pc: 4, op: "ADD", gas: 978_994, gasCost: 3, depth: 1, stack: ["0x2", "0x3"] },
    { pc: 5, op: "STOP", gas: 978_991, gasCost: 0, depth: 1, stack: ["0x5"] },
  ]);
  assert.deepEqual({ failed, gas, returnValue }, { failed: false, gas: 21_009, returnValue: "0x" });
});

test("memory, return data and the stack are logged if requested", async () => {
  const code = `PUSH1 07 PUSH1 00 MSTORE PUSH1 00 DUP1 DUP1 DUP1 ${word(B)} GAS STATICCALL STOP`;
  const inner = "PUSH1 20 PUSH1 00 RETURN";

  const all = (await structs(code, { enableMemory: true, enableReturnData: true }, inner)).structLogs;
  const none = (await structs(code, { disableStack: true }, inner)).structLogs;

  assert.deepEqual(all.at(-1)!.memory, [hex32(7)]);
  assert.equal(all.at(-1)!.returnData, hex32(0));
  assert.equal(all[0]!.memory, undefined);
  assert.ok(
    none.every(
      ({ stack, memory, returnData }) => stack === undefined && memory === undefined && returnData === undefined,
    ),
  );
});

test("what a call hands over is part of what it costs, and steps inside are one deeper", async () => {
  const { structLogs } = await structs(`PUSH1 00 DUP1 DUP1 DUP1 DUP1 ${word(B)} PUSH2 ffff CALL STOP`);
  const at = structLogs.findIndex(({ op }) => op === "CALL");

  assert.equal(structLogs[at]!.gasCost, 2600 + 0xffff);
  assert.deepEqual([structLogs[at + 1]!.depth, structLogs[at + 1]!.gas], [2, 0xffff]);
  assert.equal(structLogs[at + 2]!.depth, 1);
});

test("storage is logged as it is read and written, and refunds as they are counted", async () => {
  const code = "PUSH1 01 SLOAD POP PUSH1 05 PUSH1 02 SSTORE PUSH1 00 PUSH1 02 SSTORE STOP";

  const { structLogs } = await structs(code);
  const storage = structLogs.filter(({ op }) => op === "SLOAD" || op === "SSTORE").map((log) => log.storage);

  assert.deepEqual(storage, [
    { [hex32(1)]: hex32(0) },
    { [hex32(1)]: hex32(0), [hex32(2)]: hex32(5) },
    { [hex32(1)]: hex32(0), [hex32(2)]: hex32(0) },
  ]);
  assert.equal(structLogs.at(-1)!.refund, 19_900);
  assert.ok((await structs(code, { disableStorage: true })).structLogs.every((log) => log.storage === undefined));
});

test("a step that cannot run has its error", async () => {
  const underflow = await structs("PUSH1 01 ADD");
  const poor = await structs("PUSH1 01 PUSH1 00 SSTORE", {}, "STOP", "0x55f0");

  assert.equal(underflow.failed, true);
  assert.equal(underflow.structLogs.at(-1)!.error, "stack underflow (1 <=> 2)");
  assert.equal(poor.structLogs.at(-1)!.error, "out of gas");
  assert.equal((await structs("0c")).structLogs[0]!.op, "opcode 0xc not defined");
});

test("steps end where the caller's limit does, and a trace that would fill the memory is refused", async () => {
  const loop = `JUMPDEST PUSH32 ${"ff".repeat(32)} PUSH1 00 JUMP`;

  assert.ok((await structs(loop, { limit: 1000 })).structLogs.length < 20);
  await assert.rejects(structs(loop), { code: -32003, message: /too large/ });
});

async function prestate(tracerConfig: object = {}) {
  const code = assemble(`PUSH1 07 PUSH1 01 SSTORE PUSH1 02 SLOAD POP ${word(B)} BALANCE STOP`);
  const chain = await CodeChain.open({ [A]: { code, storage: { "0x02": "0x09" } }, [B]: { balance: "0x5" } });
  const { transactions } = await chain.mine({ to: A, value: 3n });
  const config = { tracer: "prestateTracer", tracerConfig };
  const result = await chain.ask("debug_traceTransaction", toHex(transactions[0]!.hash), config);
  return { code, result: result as Record<string, Record<string, unknown>> };
}

test("a prestate has all that was touched as it was", async () => {
  const { code, result } = await prestate();

  assert.deepEqual(result[A], { balance: "0x0", code, storage: { [hex32(1)]: hex32(0), [hex32(2)]: hex32(9) } });
  assert.deepEqual(result[B], { balance: "0x5" });
  assert.deepEqual(result[SENDER], { balance: "0x21e19e0c9bab2400000" });
});

test("a difference has what changed, before and after", async () => {
  const { result } = await prestate({ diffMode: true, disableCode: true });
  const { pre, post } = result as { pre: Record<string, unknown>; post: Record<string, { nonce?: number }> };

  assert.deepEqual(pre[A], { balance: "0x0" });
  assert.deepEqual(post[A], { balance: "0x3", storage: { [hex32(1)]: hex32(7) } });
  assert.equal(post[SENDER]!.nonce, 1);
  assert.equal(B in pre || B in post, false);
});

test("a created contract has no prestate, and a difference has all of it", async () => {
  const chain = await CodeChain.open();
  const { transactions, receipts } = await chain.mine({ data: deploying("0x5f") });
  const config = { tracer: "prestateTracer", tracerConfig: { diffMode: true } };
  const hash = toHex(transactions[0]!.hash);
  const created = toHex(receipts[0]!.contractAddress!);

  const { pre, post } = (await chain.ask("debug_traceTransaction", hash, config)) as Record<string, object>;

  assert.equal(created in pre!, false);
  assert.deepEqual((post as Record<string, unknown>)[created], { code: "0x5f", nonce: 1 });
});

test("functions are counted by selector and size, and several tracers answer together", async () => {
  const chain = await CodeChain.open({ [A]: { code: "0x00" } });
  const request = { to: A, data: "0x12345678aabb" };
  const ask = (tracer: string, tracerConfig: object = {}) =>
    chain.ask("debug_traceCall", request, "latest", { tracer, tracerConfig });

  assert.deepEqual(await ask("4byteTracer"), { "0x12345678-2": 1 });
  assert.deepEqual(await ask("noopTracer"), {});
  assert.deepEqual(Object.keys((await ask("muxTracer", { callTracer: null, prestateTracer: {} })) as object), [
    "callTracer",
    "prestateTracer",
  ]);
  await assert.rejects(ask("sortTracer"), { code: -32000, message: "tracer not found: sortTracer" });
  await assert.rejects(ask("{step: function() {}}"), { code: -32000 });
  await assert.rejects(ask("muxTracer", { muxTracer: {} }), { code: -32000 });
  await assert.rejects(chain.ask("debug_traceCall", request, "latest", { timeout: "soon" }), { code: -32000 });
  await assert.rejects(chain.ask("debug_traceCall", request, "latest", { tracer: 5 }), { code: -32602 });
  await assert.rejects(chain.ask("debug_traceCall", request, "latest", { disableStack: 5 }), { code: -32602 });
});

test("a call is traced with state and block overrides", async () => {
  const chain = await CodeChain.open();
  const config = {
    stateOverrides: { [A]: { code: assemble("NUMBER PUSH1 00 MSTORE PUSH1 20 PUSH1 00 RETURN") } },
    blockOverrides: { number: "0x63" },
  };

  const { returnValue } = (await chain.ask("debug_traceCall", { to: A }, "latest", config)) as Structs;

  assert.equal(returnValue, hex32(0x63));
});

test("a block is traced transaction by transaction, each on what those before it did", async () => {
  const chain = await CodeChain.open({ [A]: { code: assemble("PUSH1 00 SLOAD PUSH1 01 ADD PUSH1 00 SSTORE") } });
  const { header, transactions, receipts } = await chain.mine({ to: A }, { to: A }, { to: B, value: 1n });

  const byNumber = (await chain.ask("debug_traceBlockByNumber", "latest")) as { txHash: string; result: Structs }[];
  const byHash = await chain.ask("debug_traceBlockByHash", toHex(header.hash));

  assert.deepEqual(byHash, byNumber);
  assert.deepEqual(
    byNumber.map(({ txHash }) => txHash),
    transactions.map(({ hash }) => toHex(hash)),
  );
  assert.deepEqual(
    byNumber.map(({ result }) => result.gas),
    receipts.map(({ gasUsed }) => gasUsed),
  );
  assert.deepEqual(byNumber[1]!.result.structLogs[1]!.storage, { [hex32(0)]: hex32(1) });
});

test("what is not there cannot be traced", async () => {
  const chain = await CodeChain.open();
  const missing = (method: string, param: string, message: string) =>
    assert.rejects(chain.ask(method, param), { code: -32000, message });

  await missing("debug_traceTransaction", hex32(1), "transaction not found");
  await missing("debug_traceBlockByNumber", "0x9", "block #9 not found");
  await missing("debug_traceBlockByNumber", "pending", "block pending not found");
  await missing("debug_traceBlockByHash", hex32(1), `block ${hex32(1)} not found`);
  await missing("debug_traceBlockByNumber", "0x0", "genesis is not traceable");
});
