import assert from "node:assert/strict";
import { test } from "node:test";
import { assemble } from "../../../test/support/assembler.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { Program, programOf } from "./program.ts";

test("a jump goes to a JUMPDEST that no PUSH pushes", () => {
  const program = new Program(fromHex(assemble("JUMPDEST PUSH2 5b5b JUMPDEST PUSH32 5b")));

  const destinations = Array.from({ length: 12 }, (_, place) => place).filter((place) => program.isDestination(place));

  assert.deepEqual(destinations, [0, 4]);
  assert.equal(program.isDestination(2n ** 64n), false);
});

test("a PUSH pushes what stands behind it, and zeros behind the end of the code", () => {
  const program = new Program(fromHex(assemble("PUSH1 07 PUSH8 0102030405060708 PUSH4 aabb")));

  assert.equal(program.constant(0, 1), 7);
  assert.equal(program.constant(2, 8), 0x0102030405060708n);
  assert.equal(program.constant(11, 4), 0xaabb0000);
});

test("what was found out about code is remembered, of the code that ran last", () => {
  const code = new Uint8Array(24_576);
  const program = programOf(code);
  assert.equal(programOf(code), program);

  for (let others = 0; others < 180; others++) programOf(new Uint8Array(24_576));

  assert.notEqual(programOf(code), program);
});
