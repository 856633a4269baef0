import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/fastCheck.ts";
import { toHex } from "./hex.ts";
import { uintToBigInt } from "./uint.ts";
import { compareCopy, expectSame, MAX_CODE_BYTES, readArray, readNumber, readObject, WireReader } from "./wire.ts";

const REFUSED = { code: "upstream_invalid" };

const json = fc.oneof(fc.jsonValue(), fc.constant(undefined));
const digits = fc.string({ unit: fc.constantFrom("0", "1", "a", "F", "g", " ", "\t", "x", ".", "_", "-") });
const almostHex = fc.oneof(
  json,
  digits.map((text) => `0x${text}`),
  digits,
);

const isBytes = (value: unknown) => typeof value === "string" && /^0x([0-9a-f]{2})*$/i.test(value);
const isPlain = (value: unknown) => typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
const isQuantity = (value: unknown) => isPlain(value) || (typeof value === "string" && /^0x[0-9a-f]+$/i.test(value));
const numbers = fc.oneof(fc.integer(), fc.double(), fc.maxSafeInteger(), fc.constant(2 ** 53));

test("bytes are read as sent, however many one reader reads", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 5000 }), { maxLength: 30 }), (values) => {
      const reader = new WireReader();

      const read = values.map((value) => reader.bytes(toHex(value), "field"));

      assert.deepEqual(read.map(toHex), values.map(toHex));
    }),
  );
});

test("a value longer than the reader's buffers is read", () => {
  const text = `0x${"ab".repeat(3 << 20)}`;

  assert.equal(toHex(new WireReader().bytes(text, "field")), text);
});

test("anything but pairs of hex digits is refused as bytes", () => {
  fc.assert(
    fc.property(almostHex, (value) => {
      const read = () => toHex(new WireReader().bytes(value, "field"));
      if (isBytes(value)) assert.equal(read(), (value as string).toLowerCase());
      else assert.throws(read, REFUSED);
    }),
  );
});

test("bytes of another length than asked for are refused", () => {
  const reader = new WireReader();

  assert.throws(() => reader.hash(`0x${"00".repeat(31)}`, "field"), REFUSED);
  assert.throws(() => reader.hash(`0x${"00".repeat(32)}0`, "field"), REFUSED);
  assert.throws(() => reader.address("0x", "field"), REFUSED);
});

test("anything but a quantity of at most 32 bytes is refused as uint", () => {
  const wide = fc.bigInt({ min: 0n, max: 2n ** 260n }).map((value) => `0x${value.toString(16)}`);
  fc.assert(
    fc.property(
      fc.oneof(
        almostHex,
        numbers,
        wide,
        wide.map((text) => text.replace("0x", "0x000")),
      ),
      (value) => {
        const read = () => uintToBigInt(new WireReader().uint(value, "field"));
        if (isQuantity(value) && BigInt(value as string) < 2n ** 256n) assert.equal(read(), BigInt(value as string));
        else assert.throws(read, REFUSED);
      },
    ),
  );
});

test("anything but a quantity below 2^53 is refused as number", () => {
  const wide = fc.bigInt({ min: 0n, max: 2n ** 56n }).map((value) => `0x${value.toString(16)}`);
  fc.assert(
    fc.property(fc.oneof(almostHex, numbers, wide), (value) => {
      const read = () => readNumber(value, "field");
      if (isQuantity(value) && BigInt(value as string) < 2n ** 53n)
        assert.equal(read(), Number(BigInt(value as string)));
      else assert.throws(read, REFUSED);
    }),
  );
});

test("a number followed by white space is refused", () => {
  for (const space of [" ", "\n", "\t", "\u00a0", "\u2003"]) {
    assert.throws(() => readNumber(`0x1${space}`, "field"), REFUSED);
  }
});

test("hashes are read one after another, and more than allowed are refused", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 }), { maxLength: 6 }), (hashes) => {
      const read = () => new WireReader().hashes(hashes.map(toHex), "field", 4);

      if (hashes.length <= 4) assert.equal(toHex(read()), `0x${hashes.map((hash) => toHex(hash).slice(2)).join("")}`);
      else assert.throws(read, REFUSED);
    }),
  );
  for (const value of [null, {}, "0x", ["0x00"], [null]]) {
    assert.throws(() => new WireReader().hashes(value, "field", 4), REFUSED);
  }
});

test("objects and arrays are distinguished", () => {
  fc.assert(
    fc.property(json, (value) => {
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      if (isObject) assert.equal(readObject(value, "field"), value);
      else assert.throws(() => readObject(value, "field"), REFUSED);
      if (Array.isArray(value)) assert.equal(readArray(value, "field"), value);
      else assert.throws(() => readArray(value, "field"), REFUSED);
    }),
  );
});

test("a copy may be absent or differ in case, and nothing else", () => {
  expectSame(undefined, "0xab", "field");
  expectSame("0xAB", "0xab", "field");
  assert.throws(() => expectSame("0xac", "0xab", "field"), REFUSED);
  assert.throws(() => expectSame(null, "0xab", "field"), REFUSED);
});

test("a copy of a number may be absent or spelled otherwise; the first that says something else is noted", () => {
  const mismatches: string[] = [];

  for (const copy of [undefined, null, "0x1F", "0x001f", 31]) compareCopy(copy, "0x1f", "field", mismatches);
  for (const copy of [undefined, null, false]) compareCopy(copy, false, "field", mismatches);
  assert.deepEqual(mismatches, []);
  for (const wrong of ["0x20", 30, "nonsense", "", {}, [], true]) compareCopy(wrong, "0x1f", "field", mismatches);

  assert.deepEqual(mismatches, ['field: expected "0x1f", the node sent "0x20"']);
  for (const wrong of [30, "nonsense", "", {}, [], true]) {
    const noted: string[] = [];
    compareCopy(wrong, "0x1f", "field", noted);
    assert.equal(noted.length, 1, JSON.stringify(wrong));
  }
});

test("a field or a list that is longer than allowed is refused, and the message stays short", () => {
  const long = `0x${"ab".repeat(1000)}`;
  assert.throws(() => new WireReader().bytes(long, "field", undefined, 999), REFUSED);
  assert.equal(new WireReader().bytes(long, "field", undefined, 1000).length, 1000);
  assert.throws(() => readArray([1, 2, 3], "field", 2), {
    message: "field: expected at most 2 entries, the node sent 3",
  });
  assert.equal(readArray([1, 2], "field", 2).length, 2);
  assert.equal(new WireReader().code(`0x${"00".repeat(MAX_CODE_BYTES)}`).length, MAX_CODE_BYTES);
  assert.throws(() => new WireReader().code(`0x${"00".repeat(MAX_CODE_BYTES + 1)}`), REFUSED);
  const deep: unknown = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));

  for (const value of ["x".repeat(1 << 20), deep, { deep }, new Array(1 << 20).fill("x")]) {
    for (const attempt of [
      () => new WireReader().hash(value, "field"),
      () => readNumber(value, "field"),
      () => expectSame(value, "0xab", "field"),
      () => expectSame("0xab", value, "field"),
    ]) {
      assert.throws(attempt, (error: Error) => error.message.length < 1000 && error.message.startsWith("field: "));
    }
  }
});
