import assert from "node:assert/strict";
import { test } from "node:test";
import { Interface } from "ethers";
import { contractNamed } from "../../../test/support/contracts.ts";
import { readFunctions } from "./functions.ts";

test("the functions of a compiled contract are those that ethers finds", () => {
  for (const name of ["ERC20PresetMinterPauser", "ERC1155PresetMinterPauser", "TimelockController"]) {
    const { abi } = contractNamed(name);
    const expected: unknown[] = [];
    new Interface(JSON.stringify(abi)).forEachFunction(({ selector, stateMutability, inputs, outputs }) =>
      expected.push([selector, stateMutability, inputs.map(({ type }) => type), outputs.map(({ type }) => type)]),
    );

    const functions = readFunctions(abi);

    const found = functions.map(({ selector, mutability, signature, outputs }) => [
      selector,
      mutability,
      signature.inputs.map(({ type }) => type.text),
      outputs?.map(({ type }) => type.text),
    ]);
    assert.deepEqual(found.sort(), expected.sort(), name);
  }
});

test("old compilers say otherwise what a function does, and what it returns may not be readable", () => {
  const abi = [
    { name: "old", inputs: [], outputs: [], constant: true },
    { name: "paid", inputs: [], payable: true },
    { name: "odd", inputs: [], outputs: [{ type: "what" }] },
    { name: "worse", inputs: [], outputs: 5 },
    { type: "event", name: "E", inputs: [] },
    { name: "lib", inputs: [{ type: "Lib.Data storage" }] },
  ];

  const found = readFunctions(abi).map(({ signature, mutability, outputs }) => [signature.name, mutability, outputs]);

  assert.deepEqual(found, [
    ["old", "view", []],
    ["paid", "payable", []],
    ["odd", "nonpayable", undefined],
    ["worse", "nonpayable", undefined],
  ]);
});
