import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { assemble, deploying, word } from "../../../test/support/assembler.ts";
import { CodeChain, SENDER } from "../../../test/support/codeChain.ts";
import type { Hex } from "../../chain/encoding/hex.ts";

const CONTRACT = "0x00000000000000000000000000000000000000c0";
const EMPTY_ACCOUNT = "0x00000000000000000000000000000000000000d0";

const artifact = new URL(
  "../../../node_modules/@openzeppelin/contracts/build/contracts/ERC20PresetFixedSupply.json",
  import.meta.url,
);
const { bytecode } = JSON.parse(readFileSync(artifact, "utf8")) as { bytecode: Hex };

async function estimate(chain: CodeChain, request: object, ...rest: unknown[]): Promise<bigint> {
  return BigInt((await chain.ask("eth_estimateGas", request, ...rest)) as string);
}

test("a transfer to an account without code takes 21,000", async () => {
  const chain = await CodeChain.open();

  assert.equal(await estimate(chain, { from: SENDER, to: EMPTY_ACCOUNT, value: "0x1" }), 21_000n);
});

test("a transaction with the estimated gas succeeds, and with a little less than what it used it fails", async () => {
  const inner = `PUSH1 00 PUSH1 00 PUSH1 00 PUSH1 00 PUSH1 00 ${word(EMPTY_ACCOUNT)} GAS CALL`;
  const codes: Hex[] = [
    assemble("PUSH1 01 PUSH1 02 SSTORE"),
    // Refunds gas that must be available first.
    assemble("PUSH1 00 PUSH1 01 SSTORE PUSH1 01 PUSH1 03 SSTORE"),
    assemble(`${inner} POP PUSH1 01 PUSH1 02 SSTORE`),
  ];
  for (const code of codes) {
    const chain = await CodeChain.open({ [CONTRACT]: { code, storage: { "0x01": "0x01" } } });

    const gas = await estimate(chain, { from: SENDER, to: CONTRACT });
    const { receipts } = await chain.mine({ to: CONTRACT, gas });

    assert.equal(receipts[0]!.status, 1);
    const next = await chain.mine({ to: CONTRACT, gas: 21_100n });
    assert.equal(next.receipts[0]!.status, 0);
  }
});

test("a call whose caller must keep back a 64th gets enough for that", async () => {
  // Fails unless the inner call gets 100,000 gas.
  const inner = assemble("PUSH3 0186a0 GAS LT PUSH1 0a JUMPI STOP JUMPDEST PUSH1 00 PUSH1 00 REVERT");
  const outer = `PUSH1 00 PUSH1 00 PUSH1 00 PUSH1 00 PUSH1 00 ${word(EMPTY_ACCOUNT)} GAS CALL`;
  const code = assemble(`${outer} PUSH1 31 JUMPI INVALID JUMPDEST STOP`);
  const chain = await CodeChain.open({ [CONTRACT]: { code }, [EMPTY_ACCOUNT]: { code: inner } });

  const gas = await estimate(chain, { from: SENDER, to: CONTRACT });
  const { receipts } = await chain.mine({ to: CONTRACT, gas });

  assert.ok(gas > 120_000n && gas < 130_000n, String(gas));
  assert.equal(receipts[0]!.status, 1);
});

test("a deployment of a real contract is estimated to within the allowed error", async () => {
  const chain = await CodeChain.open();
  const name = Buffer.from("T").toString("hex").padEnd(64, "0");
  const number = (value: bigint) => value.toString(16).padStart(64, "0");
  const words = [128n, 192n, 1000n, BigInt(SENDER), 1n].map(number);
  const data = `${bytecode}${words.join("")}${name}${number(1n)}${name}` as Hex;

  const gas = await estimate(chain, { from: SENDER, data });
  const { receipts } = await chain.mine({ data, gas });

  assert.equal(receipts[0]!.status, 1);
  assert.ok(gas < (BigInt(receipts[0]!.gasUsed) * 1100n) / 1000n, `${gas} for ${receipts[0]!.gasUsed}`);
});

test("an estimate fails with the error of the call, or with geth's message for too little gas", async () => {
  const chain = await CodeChain.open({ [CONTRACT]: { code: assemble("PUSH1 00 PUSH1 00 REVERT") } });
  const loop = { [CONTRACT]: { code: assemble("JUMPDEST PUSH1 00 JUMP") } };
  const request = { from: SENDER, to: CONTRACT };

  await assert.rejects(estimate(chain, request), { code: 3, message: "execution reverted", data: "0x" });
  await assert.rejects(estimate(chain, { ...request, gas: "0x186a0" }, "latest", loop), {
    code: -32000,
    message: "gas required exceeds allowance (100000)",
  });
  await assert.rejects(estimate(chain, { ...request, from: EMPTY_ACCOUNT, gasPrice: "0x77359400" }), {
    code: -32000,
    message: "gas required exceeds allowance (0)",
  });
  await assert.rejects(estimate(chain, { ...request, from: EMPTY_ACCOUNT, value: "0x1", gasPrice: "0x77359400" }), {
    code: -32000,
    message: "insufficient funds for transfer",
  });
});

test("state and block overrides apply to an estimate, and data has its floor price", async () => {
  const chain = await CodeChain.open();
  const store = { [CONTRACT]: { code: assemble("PUSH1 01 PUSH1 02 SSTORE") } };
  const request = { from: SENDER, to: CONTRACT };

  assert.ok((await estimate(chain, request, "latest", store)) > 43_000n);
  const floor = await estimate(chain, { ...request, data: `0x${"01".repeat(1000)}` });
  assert.ok(floor >= 61_000n && floor < 62_000n, String(floor));
  const listed = await estimate(chain, { ...request, accessList: [{ address: CONTRACT, storageKeys: [] }] });
  assert.ok(listed >= 23_400n && listed < 24_000n, String(listed));
});

test("a request without a recipient is estimated as a deployment", async () => {
  const chain = await CodeChain.open();
  const data = deploying("0x00");

  const gas = await estimate(chain, { from: SENDER, data });
  const { receipts } = await chain.mine({ data, gas });

  assert.equal(receipts[0]!.status, 1);
});
