import assert from "node:assert/strict";
import { test } from "node:test";
import type { Abi } from "viem";
import { encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from "viem";
import type { Encodable } from "./encode.ts";
import { encodeCall, encodeValues } from "./encodeCall.ts";

const A = "0x00000000000000000000000000000000000000aa";
const B = "0xbb000000000000000000000000000000000000bb";

const CALLS: readonly (readonly [string, ...Encodable[]])[] = [
  ["deposit()"],
  ["transfer(address,uint256)", A, 5n],
  ["setApprovalForAll(address,bool)", B, true],
  ["swap(uint256,address[],string,bool)", 1n, [A, B], "a text that is longer than one word of thirty-two", false],
  ["execute((address,uint256,bytes)[])", [[A, 1n, "0x1234"] as Encodable, [B, 2n, "0x"]]],
  ["mint((address,address,uint24,int24,int24,uint256))", [A, B, 3000, -60, 60, 9n]],
  ["multicall(bytes[])", ["0x12345678", "0xabcd"]],
  ["exactInput((bytes,address,uint256),bytes32)", ["0x1234", A, 1n], `0x${"11".repeat(32)}`],
  ["batch(uint256[],uint256[],bytes)", [1, 2, 3], [], "0x"],
];

test("calls are encoded as viem encodes them", () => {
  for (const [signature, ...values] of CALLS) {
    const abi = parseAbi([`function ${signature}`] as readonly string[]) as Abi;
    const [functionName] = signature.split("(");

    assert.equal(
      encodeCall(signature, ...values),
      encodeFunctionData({ abi, functionName: functionName!, args: values }),
    );
  }
});

test("the values of a constructor are encoded as viem encodes them", () => {
  const expected = encodeAbiParameters(parseAbiParameters("string, string, uint8"), ["Mullion", "MLLN", 18]);

  assert.equal(encodeValues(["string", "string", "uint8"], "Mullion", "MLLN", 18), expected);
});

test("too few values are refused", () => {
  assert.throws(() => encodeCall("transfer(address,uint256)", A), /expected 2 values, not 1/);
});
