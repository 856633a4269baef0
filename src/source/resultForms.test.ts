import assert from "node:assert/strict";
import { test } from "node:test";
import { resultProblem } from "./resultForms.ts";

test("data of megabytes is checked like any other", () => {
  const data = `0x${"ab".repeat(8 << 20)}`;

  assert.equal(resultProblem("eth_call", data), undefined);
  assert.equal(resultProblem("eth_call", `${data}c`), "a malformed result of eth_call");
  assert.equal(
    resultProblem("eth_getTransactionByHash", { input: `${data}xy` }),
    "a malformed result of eth_getTransactionByHash: input",
  );
});
