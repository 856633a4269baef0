import assert from "node:assert/strict";
import { test } from "node:test";
import { assemble, word } from "../../../test/support/assembler.ts";
import { CodeChain, SENDER } from "../../../test/support/codeChain.ts";

const CONTRACT = "0x00000000000000000000000000000000000000c0";
const OTHER = "0x00000000000000000000000000000000000000d0";
const hex32 = (value: number) => `0x${value.toString(16).padStart(64, "0")}`;

test("a list has the slots of the recipient and the accounts touched besides it, and precompiles not at all", async () => {
  const code = assemble(
    `PUSH1 05 SLOAD PUSH1 01 PUSH1 06 SSTORE ${word(OTHER)} BALANCE ${word(SENDER)} BALANCE ${word(4)} EXTCODESIZE STOP`,
  );
  const chain = await CodeChain.open({ [CONTRACT]: { code } });

  const { accessList, gasUsed } = (await chain.ask("eth_createAccessList", { from: SENDER, to: CONTRACT })) as {
    accessList: unknown;
    gasUsed: string;
  };

  assert.deepEqual(accessList, [
    { address: CONTRACT, storageKeys: [hex32(5), hex32(6)] },
    { address: OTHER, storageKeys: [] },
  ]);
  const { result } = (await chain
    .ask("debug_traceCall", { from: SENDER, to: CONTRACT, accessList }, "latest", {
      tracer: "muxTracer",
      tracerConfig: { callTracer: {} },
    })
    .then((mux) => ({ result: (mux as { callTracer: { gasUsed: string } }).callTracer }))) as {
    result: { gasUsed: string };
  };
  assert.equal(result.gasUsed, gasUsed);
});

test("a slot that is read only once another is warm comes into the list as well", async () => {
  // Reads slot 1 only if slot 0 was warm.
  const code = assemble(
    "GAS PUSH1 00 SLOAD POP GAS SWAP1 SUB PUSH2 03e8 GT PUSH1 10 JUMPI STOP JUMPDEST PUSH1 01 SLOAD STOP",
  );
  const chain = await CodeChain.open({ [CONTRACT]: { code } });

  const { accessList } = (await chain.ask("eth_createAccessList", { from: SENDER, to: CONTRACT })) as {
    accessList: unknown;
  };

  assert.deepEqual(accessList, [{ address: CONTRACT, storageKeys: [hex32(0), hex32(1)] }]);
});

test("a call that fails has a list and its error", async () => {
  const chain = await CodeChain.open({ [CONTRACT]: { code: assemble("PUSH1 05 SLOAD PUSH1 00 PUSH1 00 REVERT") } });

  const result = (await chain.ask("eth_createAccessList", { from: SENDER, to: CONTRACT })) as object;

  assert.deepEqual(result, {
    accessList: [{ address: CONTRACT, storageKeys: [hex32(5)] }],
    error: "execution reverted",
    gasUsed: (result as { gasUsed: string }).gasUsed,
  });
});

test("a message that cannot run has no list", async () => {
  const chain = await CodeChain.open();

  await assert.rejects(chain.ask("eth_createAccessList", { from: OTHER, to: CONTRACT, value: "0x1" }), {
    code: -32000,
    message: /^failed to apply transaction: err: insufficient funds/,
  });
});
