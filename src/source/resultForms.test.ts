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

test("numbers of simulated blocks and of a sync are checked wherever they are", () => {
  const call = { status: "0x1", gasUsed: "0x5208", returnData: "0x", logs: [{ logIndex: "0x0", data: "0x" }] };
  const simulated = (changes: object, blockChanges: object = {}) => [
    { number: "0x1", transactions: ["0xaa"], calls: [call, { ...call, ...changes }], ...blockChanges },
  ];

  assert.equal(resultProblem("eth_simulateV1", simulated({})), undefined);
  assert.match(resultProblem("eth_simulateV1", simulated({ gasUsed: "0x05" })) ?? "", /: calls\.gasUsed$/);
  assert.match(
    resultProblem("eth_simulateV1", simulated({ logs: [{ logIndex: 1 }] })) ?? "",
    /: calls\.logs\.logIndex$/,
  );
  assert.match(resultProblem("eth_simulateV1", simulated({}, { gasLimit: "-0x1" })) ?? "", /: gasLimit$/);
  assert.equal(resultProblem("eth_syncing", false), undefined);
  assert.equal(resultProblem("eth_syncing", { currentBlock: "0x1", highestBlock: "0x2" }), undefined);
  assert.match(resultProblem("eth_syncing", { currentBlock: "one" }) ?? "", /: currentBlock$/);
});
