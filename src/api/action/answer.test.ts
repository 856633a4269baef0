import assert from "node:assert/strict";
import { test } from "node:test";
import { fail, inEtherscanForm, list, succeed, TOO_MUCH } from "./answer.ts";

test("in Etherscan's form a refusal has its reason in the result, and null asks for a smaller range", () => {
  const kept = [succeed("text"), list([], "No transactions found"), { jsonrpc: "2.0", id: 1, result: "0x" }];

  assert.deepEqual(inEtherscanForm(fail("why")), { status: "0", message: "NOTOK", result: "why" });
  assert.deepEqual(inEtherscanForm(fail(TOO_MUCH)), { status: "0", message: TOO_MUCH, result: null });
  for (const answer of kept) assert.equal(inEtherscanForm(answer), answer);
});
