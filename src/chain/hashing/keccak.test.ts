import assert from "node:assert/strict";
import { test } from "node:test";
import { toHex } from "../encoding/hex.ts";
import { keccak256 } from "./keccak.ts";

const KNOWN: [text: string, hash: string][] = [
  ["", "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"],
  ["abc", "0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"],
  ["Transfer(address,address,uint256)", "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"],
  ["Approval(address,address,uint256)", "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925"],
];

for (const [text, hash] of KNOWN) {
  test(`the keccak of ${JSON.stringify(text)} is known`, () => {
    assert.equal(toHex(keccak256(Buffer.from(text))), hash);
  });
}

test("a hash stays what it is when the next one is computed", () => {
  const first = keccak256(new Uint8Array(0));

  keccak256(new Uint8Array(1));

  assert.equal(toHex(first), KNOWN[0]![1]);
});
