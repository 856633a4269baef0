import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/fastCheck.ts";
import { clip, fromHex, quantity, toHex, uintToHex } from "./hex.ts";
import { uintFromBigInt } from "./uint.ts";

test("bytes survive hex and back", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const text = toHex(bytes);

      assert.equal(text, `0x${bytes.reduce((digits, byte) => digits + byte.toString(16).padStart(2, "0"), "")}`);
      assert.deepEqual(new Uint8Array(fromHex(text)), bytes);
      assert.deepEqual(new Uint8Array(fromHex(`0x${text.slice(2).toUpperCase()}`)), bytes);
    }),
  );
});

test("long bytes have the same digits as short ones", () => {
  for (const length of [64, 65, 8191, 8192, 8193, 100_000]) {
    const bytes = Uint8Array.from({ length }, (_, at) => at * 7);
    assert.equal(toHex(bytes), `0x${Buffer.from(bytes).toString("hex")}`);
  }
});

test("a view into a larger buffer gives its own bytes alone", () => {
  assert.equal(toHex(new Uint8Array([1, 2, 3, 4]).subarray(1, 3)), "0x0203");
});

const isHex = (text: string) => /^0x([0-9a-f]{2})*$/i.test(text);

test("text that is not 0x and pairs of hex digits is refused", () => {
  const almost = fc.string({ unit: fc.constantFrom("0", "a", "F", "g", " ", "\n", "İ", "ı", "x", "é") });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        almost,
        almost.map((text) => `0x${text}`),
      ),
      (text) => {
        if (isHex(text)) assert.equal(toHex(fromHex(text)), text.toLowerCase());
        else assert.throws(() => fromHex(text), { code: "invalid_argument" });
      },
    ),
  );
});

test("quantities have no leading zeros", () => {
  assert.equal(quantity(0), "0x0");
  assert.equal(uintToHex(new Uint8Array(0)), "0x0");
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (value) => {
      assert.equal(quantity(value), `0x${value.toString(16)}`);
      assert.equal(uintToHex(uintFromBigInt(value)), `0x${value.toString(16)}`);
    }),
  );
});

test("long text is clipped, short text is left alone", () => {
  assert.equal(clip("abc", 3), "abc");
  assert.equal(clip("abcd", 3), "abc…");
});
