import assert from "node:assert/strict";
import { test } from "node:test";
import { assemble, deploying, word } from "../../../../test/support/assembler.ts";
import { CodeChain, SENDER } from "../../../../test/support/codeChain.ts";
import { toHex } from "../../../chain/encoding/hex.ts";

const [A, B] = ["0x00000000000000000000000000000000000000c0", "0x00000000000000000000000000000000000000d0"] as const;
const hex32 = (value: number) => `0x${value.toString(16).padStart(64, "0")}`;

interface SimulatedBlock {
  readonly number: string;
  readonly timestamp: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly gasUsed: string;
  readonly baseFeePerGas: string;
  readonly stateRoot: string;
  readonly transactions: readonly unknown[];
  readonly calls: readonly {
    readonly status: string;
    readonly returnData: string;
    readonly gasUsed: string;
    readonly logs: readonly {
      readonly address: string;
      readonly topics: readonly string[];
      readonly logIndex: string;
    }[];
    readonly error?: { readonly code: number; readonly message: string; readonly data?: string };
  }[];
}

async function simulate(blockStateCalls: object[], options: object = {}, chain?: CodeChain): Promise<SimulatedBlock[]> {
  const opened = chain ?? (await CodeChain.open());
  return (await opened.ask("eth_simulateV1", { blockStateCalls, ...options }, "latest")) as SimulatedBlock[];
}

const reading = assemble("PUSH1 00 SLOAD PUSH1 00 MSTORE PUSH1 20 PUSH1 00 RETURN");

test("simulated blocks follow the chain and each other, and share their state", async () => {
  const chain = await CodeChain.open();
  const store = {
    stateOverrides: { [A]: { code: assemble("CALLVALUE PUSH1 00 SSTORE") } },
    calls: [{ from: SENDER, to: A, value: "0x7" }],
  };
  const read = { stateOverrides: { [A]: { code: reading } }, calls: [{ to: A }] };

  const [first, second] = await simulate([store, read], {}, chain);

  assert.deepEqual(
    [first!.number, first!.timestamp, first!.parentHash],
    ["0x1", "0x3f4", toHex(chain.chain.head.header.hash)],
  );
  assert.deepEqual([second!.number, second!.timestamp, second!.parentHash], ["0x2", "0x400", first!.hash]);
  assert.equal(second!.calls[0]!.returnData, hex32(7));
  assert.equal(chain.chain.head.header.number, 0);
});

test("a simulated transaction leaves the state that the same one leaves when it is mined", async () => {
  const chain = await CodeChain.open();
  const data = deploying("0x5f");
  const fees = { maxFeePerGas: "0x2540be400", maxPriorityFeePerGas: "0x1" };
  const call = { from: SENDER, input: data, gas: "0xf4240", ...fees };

  const [simulated] = await simulate([{ calls: [call] }], { validation: true }, chain);
  const { header, receipts } = await chain.mine({ data });

  assert.equal(simulated!.stateRoot, toHex(header.stateRoot));
  assert.equal(Number(simulated!.gasUsed), receipts[0]!.gasUsed);
});

test("gaps between numbers are filled, and numbers and times must grow", async () => {
  const numbered = (number: string) => ({ blockOverrides: { number } });
  const timed = (time: string) => ({ blockOverrides: { time } });

  assert.deepEqual(
    (await simulate([numbered("0x3")])).map(({ number }) => number),
    ["0x1", "0x2", "0x3"],
  );
  await assert.rejects(simulate([numbered("0x3"), numbered("0x3")]), { code: -38020 });
  await assert.rejects(simulate([timed("0x1")]), { code: -38021 });
  await assert.rejects(simulate([numbered("0x200")]), { code: -38026 });
  await assert.rejects(simulate(Array.from({ length: 257 }, () => ({}))), { code: -38026 });
  await assert.rejects(simulate([]), { code: -32602, message: "empty input" });
});

test("a block knows the hashes of those simulated before it", async () => {
  const code = assemble("PUSH1 01 BLOCKHASH PUSH1 00 MSTORE PUSH1 20 PUSH1 00 RETURN");

  const [first, second] = await simulate([{}, { stateOverrides: { [A]: { code } }, calls: [{ to: A }] }]);

  assert.equal(second!.calls[0]!.returnData, first!.hash);
});

test("a call that fails is reported, and the following calls run", async () => {
  const code = assemble("PUSH1 aa PUSH1 00 MSTORE8 PUSH1 01 PUSH1 00 REVERT");
  const overrides = { [A]: { code }, [B]: { code: "0xfe" } };

  const [block] = await simulate([
    { stateOverrides: overrides, calls: [{ to: A }, { to: B, gas: "0xffff" }, { from: SENDER, to: SENDER }] },
  ]);

  assert.deepEqual(
    block!.calls.map(({ status, error }) => [status, error?.code, error?.data]),
    [
      ["0x0", 3, "0xaa"],
      ["0x0", -32015, undefined],
      ["0x1", undefined, undefined],
    ],
  );
});

test("transfers of money are logs where that is asked for", async () => {
  const forward = assemble(`PUSH1 00 DUP1 DUP1 DUP1 CALLVALUE ${word(B)} GAS CALL`);
  const call = { from: SENDER, to: A, value: "0x5" };

  const [block] = await simulate([{ stateOverrides: { [A]: { code: forward } }, calls: [call] }], {
    traceTransfers: true,
  });
  const logs = block!.calls[0]!.logs;

  assert.deepEqual(
    logs.map(({ address, logIndex }) => [address, logIndex]),
    [
      [`0x${"ee".repeat(20)}`, "0x0"],
      [`0x${"ee".repeat(20)}`, "0x1"],
    ],
  );
  assert.equal(logs[1]!.topics[2], hex32(Number(B)));
  assert.equal((await simulate([{ calls: [call] }]))[0]!.calls[0]!.logs.length, 0);
});

test("with validation a call must be a transaction that could be mined", async () => {
  const validated = (call: object) => simulate([{ calls: [call] }], { validation: true });
  const fees = { maxFeePerGas: "0x2540be400" };

  await assert.rejects(validated({ from: SENDER, nonce: "0x5", ...fees }), { code: -38011 });
  await assert.rejects(validated({ from: SENDER, to: A }), { code: -38012 });
  await assert.rejects(validated({ from: A, to: A, ...fees }), { code: -38014 });
  await assert.rejects(simulate([{ calls: [{ to: A, gas: "0x64" }] }]), { code: -38013 });
  await assert.rejects(simulate([{ calls: [{ from: A, to: A, value: "0x1" }] }]), { code: -38014 });
  await assert.rejects(simulate([{ blockOverrides: { gasLimit: "0x64" }, calls: [{ to: A, gas: "0xffff" }] }]), {
    code: -38015,
  });
});

test("all calls together have the gas of one call, and the time", async () => {
  const limits = { gas: 10n ** 12n, milliseconds: 200 };
  const loop = { [A]: { code: assemble("JUMPDEST PUSH1 00 JUMP") } };
  const poor = await CodeChain.open({}, { limits: { gas: 30_000n, milliseconds: 5000 } });
  const endless = await CodeChain.open({}, { limits });

  await assert.rejects(simulate([{ calls: [{ to: A }, { to: A }] }], {}, poor), { code: -38013 });
  const calls = Array.from({ length: 5 }, () => ({ to: A }));
  const blocks = Array.from({ length: 200 }, () => ({ stateOverrides: loop, calls }));
  await assert.rejects(simulate(blocks, {}, endless), { code: -32000, message: /^execution aborted/ });
});

test("what is not a simulation is refused with the code for parameters", async () => {
  const chain = await CodeChain.open();
  const ask = (...params: unknown[]) => chain.ask("eth_simulateV1", ...params);

  for (const value of [
    null,
    5,
    "0x",
    [],
    { blockStateCalls: 5 },
    { blockStateCalls: [5] },
    { blockStateCalls: [{ calls: 5 }] },
  ]) {
    await assert.rejects(ask(value), { code: -32602 });
  }
  await assert.rejects(ask({ blockStateCalls: [{}], validation: 5 }), { code: -32602 });
  await assert.rejects(ask({ blockStateCalls: [{}] }, "0x99"), { code: -32000, message: "header not found" });
});
