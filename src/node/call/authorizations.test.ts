import assert from "node:assert/strict";
import { test } from "node:test";
import { eoaCode7702SignAuthorization } from "@ethereumjs/util";
import { assemble } from "../../../test/support/assembler.ts";
import { CodeChain, SENDER } from "../../../test/support/codeChain.ts";
import { threadCpuMs } from "../../../test/support/threadCpu.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex, quantity, toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { addressOf } from "../accounts/accounts.ts";

const CONTRACT = "0x00000000000000000000000000000000000000c0";
const KEY = fromHex(`0x${"02".repeat(32)}`);
const AUTHORITY = toHex(addressOf(KEY));

function signed(chainId: Hex, nonce: Hex): Record<string, string> {
  const items = eoaCode7702SignAuthorization({ chainId, address: CONTRACT, nonce }, KEY);
  const [, , , yParity, r, s] = items.map((item) => quantity(uintToBigInt(item)));
  return { chainId, address: CONTRACT, nonce, yParity: yParity!, r: r!, s: s! };
}

async function call(...authorizationList: object[]): Promise<unknown> {
  const code = assemble("ADDRESS PUSH1 00 MSTORE PUSH1 20 PUSH1 00 RETURN");
  const chain = await CodeChain.open({ [CONTRACT]: { code } });
  return chain.ask("eth_call", { from: SENDER, to: AUTHORITY, authorizationList });
}

test("an account runs the code that it delegates to, where it signed for this chain, or any, and its nonce", async () => {
  const delegated = `0x${AUTHORITY.slice(2).padStart(64, "0")}`;

  assert.equal(await call(signed("0x2a5", "0x0")), delegated);
  assert.equal(await call(signed("0x0", "0x0")), delegated);
  assert.equal(await call(signed("0x1", "0x0")), "0x");
  assert.equal(await call(signed("0x2a5", "0x1")), "0x");
  assert.equal(await call({ ...signed("0x2a5", "0x0"), yParity: "0x2" }), "0x");
  assert.equal(await call({ ...signed("0x2a5", "0x0"), r: "0x0" }), "0x");
});

test("more delegations than the gas pays for are refused before signatures are recovered", async () => {
  const list = Array<object>(5000).fill(signed("0x2a5", "0x0"));
  const started = threadCpuMs();

  await assert.rejects(call(...list), { code: -32000, message: /^err: intrinsic gas too low/ });
  assert.ok(threadCpuMs() - started < 2000);
});
