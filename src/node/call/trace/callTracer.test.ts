import assert from "node:assert/strict";
import { test } from "node:test";
import { assemble, deploying, word } from "../../../../test/support/assembler.ts";
import { CodeChain, SENDER } from "../../../../test/support/codeChain.ts";
import { toHex } from "../../../chain/encoding/hex.ts";

const [A, B] = ["0x00000000000000000000000000000000000000c0", "0x00000000000000000000000000000000000000d0"] as const;

interface Call {
  readonly type: string;
  readonly from: string;
  readonly to?: string;
  readonly value?: string;
  readonly gas: string;
  readonly gasUsed: string;
  readonly input: string;
  readonly output?: string;
  readonly error?: string;
  readonly revertReason?: string;
  readonly calls?: readonly Call[];
  readonly logs?: readonly { readonly position: string; readonly data: string }[];
}

const calling = (instruction: string, to: string, value = "") =>
  `PUSH1 00 DUP1 DUP1 DUP1 ${value} ${word(to as `0x${string}`)} GAS ${instruction} POP`;

async function trace(code: string, inner = "STOP", tracerConfig: object = {}): Promise<Call> {
  const contracts = { [A]: { code: assemble(code), balance: "0x64" }, [B]: { code: assemble(inner) } };
  const chain = await CodeChain.open(contracts);
  const config = { tracer: "callTracer", tracerConfig };
  const called = (await chain.ask(
    "debug_traceCall",
    { from: SENDER, to: A, gas: "0xf4240" },
    "latest",
    config,
  )) as Call;

  // A mined transaction has the same trace as the call.
  const { transactions, receipts } = await chain.mine({ to: A, gas: 1_000_000n });
  const mined = (await chain.ask("debug_traceTransaction", toHex(transactions[0]!.hash), config)) as Call;
  assert.deepEqual(mined, called);
  assert.equal(Number(mined.gasUsed), receipts[0]!.gasUsed);
  assert.equal(mined.error === undefined, receipts[0]!.status === 1);
  return mined;
}

const shape = ({ type, from, to, value, error }: Call) => ({ type, from, to, value, ...(error && { error }) });

test("each kind of call stands in the tree with who called whom", async () => {
  const code = [
    calling("CALL", B, "PUSH1 05"),
    calling("CALLCODE", B, "PUSH1 03"),
    calling("DELEGATECALL", B),
    calling("STATICCALL", B),
  ].join(" ");

  const top = await trace(code);

  assert.deepEqual(shape(top), { type: "CALL", from: SENDER, to: A, value: "0x0" });
  assert.deepEqual(top.calls!.map(shape), [
    { type: "CALL", from: A, to: B, value: "0x5" },
    { type: "CALLCODE", from: A, to: B, value: "0x3" },
    { type: "DELEGATECALL", from: A, to: B, value: "0x0" },
    { type: "STATICCALL", from: A, to: B, value: undefined },
  ]);
  assert.equal(top.gas, "0xf4240");
  assert.deepEqual(
    top.calls!.map(({ gasUsed }) => gasUsed),
    ["0x0", "0x0", "0x0", "0x0"],
  );
});

test("a creation has the code as output and the address it made, and none where it failed", async () => {
  const child = deploying("0x00").slice(2);
  const store = `PUSH32 ${child.padEnd(64, "0")} PUSH1 00 MSTORE`;
  const size = (child.length / 2).toString(16).padStart(2, "0");

  const top = await trace(
    `${store} PUSH1 ${size} PUSH1 00 PUSH1 07 CREATE POP PUSH1 00 PUSH1 ${size} PUSH1 00 DUP1 CREATE2 POP`,
  );
  const [create, create2] = top.calls!;
  const failing = await trace(`PUSH1 fe PUSH1 00 MSTORE8 PUSH1 01 PUSH1 00 DUP1 CREATE POP`);

  assert.deepEqual(shape(create!), { type: "CREATE", from: A, to: create!.to, value: "0x7" });
  assert.match(create!.to!, /^0x[0-9a-f]{40}$/);
  assert.equal(create!.output, "0x00");
  assert.equal(create!.input, `0x${child}`);
  assert.equal(create2!.type, "CREATE2");
  assert.notEqual(create2!.to, create!.to);
  assert.deepEqual(shape(failing.calls![0]!), {
    type: "CREATE",
    from: A,
    to: undefined,
    value: "0x0",
    error: "invalid opcode: INVALID",
  });
});

test("inner failures are reported in their frame, with their return data", async () => {
  const top = await trace(calling("CALL", B, "PUSH1 00"), "PUSH1 aa PUSH1 00 MSTORE8 PUSH1 01 PUSH1 00 REVERT");
  const [inner] = top.calls!;

  assert.equal(top.error, undefined);
  assert.equal(inner!.error, "execution reverted");
  assert.equal(inner!.output, "0xaa");
  assert.equal(inner!.revertReason, undefined);
});

test("a call without sufficient balance is traced as failed", async () => {
  const top = await trace(calling("CALL", B, "PUSH2 ffff"));

  assert.equal(top.calls!.length, 1);
  assert.equal(top.calls![0]!.error, "insufficient balance for transfer");
  assert.equal(top.calls![0]!.value, "0xffff");
  assert.equal(top.calls![0]!.gasUsed, "0x0");
});

test("a contract that destroys itself does so as a call of its own", async () => {
  const top = await trace(calling("CALL", B, "PUSH1 09"), `${word(A)} SELFDESTRUCT`);
  const [inner] = top.calls!;

  assert.deepEqual(inner!.calls!.map(shape), [{ type: "SELFDESTRUCT", from: B, to: A, value: "0x9" }]);
  assert.equal(inner!.calls![0]!.input, "0x");
});

test("precompiles are in the tree", async () => {
  const top = await trace(`PUSH1 20 PUSH1 00 PUSH1 04 PUSH1 00 ${word(4)} GAS STATICCALL`);

  assert.equal(top.calls![0]!.to, `0x${"4".padStart(40, "0")}`);
  assert.equal(top.calls![0]!.output, "0x00000000");
});

test("logs have the number of calls before them, and logs of failed calls are omitted", async () => {
  const log = "PUSH1 00 PUSH1 00 LOG0";
  const failing = `${log} PUSH1 00 PUSH1 00 REVERT`;

  const top = await trace(`${log} ${calling("CALL", B, "PUSH1 00")} ${log}`, failing, { withLog: true });
  const without = await trace(log);

  assert.deepEqual(
    top.logs!.map(({ position }) => position),
    ["0x0", "0x1"],
  );
  assert.equal(top.calls![0]!.logs, undefined);
  assert.equal(without.logs, undefined);
});

test("onlyTopCall traces the top call only", async () => {
  const top = await trace(calling("CALL", B, "PUSH1 00"), "STOP", { onlyTopCall: true });

  assert.equal(top.calls, undefined);
});

test("a recursion to the maximum depth is traced completely", async () => {
  const chain = await CodeChain.open({ [A]: { code: assemble(`PUSH1 00 DUP1 DUP1 DUP1 DUP1 ADDRESS GAS CALL`) } });
  const request = { from: SENDER, to: A, gas: "0x2faf080" };

  let call = (await chain.ask("debug_traceCall", request, "latest", { tracer: "callTracer" })) as Call;
  let depth = 0;
  for (; call.calls !== undefined; depth++) call = call.calls[0]!;

  assert.ok(depth > 300, `${depth} deep`);
});
