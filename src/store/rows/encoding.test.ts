import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/fastCheck.ts";
import { ByteReader, ByteWriter } from "./encoding.ts";
import { readData, writeData } from "./words.ts";

function written(write: (writer: ByteWriter) => void): Uint8Array {
  const writer = new ByteWriter(1);
  write(writer);
  return writer.copy();
}

const powers = Array.from({ length: 53 }, (_, bits) => 2 ** bits).flatMap((power) => [power - 1, power, power + 1]);

test("a varint reads back, up to the largest safe integer", () => {
  const check = (value: number) => {
    const bytes = written((writer) => writer.varint(value));
    const reader = new ByteReader(bytes);
    assert.equal(reader.varint(), value);
    assert.ok(reader.done && bytes.length <= 8);
  };
  for (const value of [...powers, Number.MAX_SAFE_INTEGER]) if (value <= Number.MAX_SAFE_INTEGER) check(value);
  fc.assert(fc.property(fc.maxSafeNat(), check));
});

const word = fc
  .tuple(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(32))
  .map(([bytes, zeros]) => bytes.fill(0, 0, zeros));

test("a word reads back and costs its leading zeros nothing", () => {
  fc.assert(
    fc.property(word, (bytes) => {
      const target = new Uint8Array(34);
      const row = written((writer) => writer.word(bytes, 0));
      new ByteReader(row).word(target, 1);
      assert.deepEqual(target.subarray(1, 33), bytes);
      const firstByte = bytes.findIndex((byte) => byte !== 0);
      assert.equal(row.length, 1 + (firstByte === -1 ? 0 : 32 - firstByte));
    }),
  );
});

const data = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.tuple(fc.constantFrom(0, 4, 5), fc.array(word, { maxLength: 9 })).map(([selector, words]) => {
    return new Uint8Array([...new Uint8Array(selector).fill(9), ...words.flatMap((bytes) => [...bytes])]);
  }),
  fc.constantFrom(255, 256, 257).map((words) => new Uint8Array(words * 32).fill(3)),
  fc.constantFrom(256, 257).map((words) => new Uint8Array(words * 32 + 4).fill(3)),
);

test("data of any shape reads back, and what follows it too", () => {
  fc.assert(
    fc.property(data, fc.nat(), (bytes, after) => {
      const row = written((writer) => {
        writeData(bytes, writer);
        writer.varint(after);
      });
      const reader = new ByteReader(row);
      assert.deepEqual(new Uint8Array(readData(reader)), bytes);
      assert.equal(reader.varint(), after);
      assert.ok(reader.done);
    }),
  );
});

test("strings, JSON and patches read back", () => {
  const row = written((writer) => {
    writer.raw(new Uint8Array(4));
    writer.string(new Uint8Array([1, 2]));
    writer.string(new Uint8Array(0));
    writer.extra({ extra: { a: ["é", null, 1.5] } });
    writer.extra({ extra: { b: 1 }, omittedFields: 7 });
    writer.patch(0, 0xfffefdfc);
  });
  const reader = new ByteReader(row);

  assert.deepEqual([...reader.raw(4)], [0xff, 0xfe, 0xfd, 0xfc]);
  assert.deepEqual([...reader.string()], [1, 2]);
  assert.equal(reader.string().length, 0);
  assert.deepEqual(reader.extra(), { extra: { a: ["é", null, 1.5] } });
  assert.deepEqual(reader.extra(), { extra: { b: 1 }, omittedFields: 7 });
});

test("a row that ends too early is refused", () => {
  const row = written((writer) => writer.string(new Uint8Array(40)));
  for (let length = 0; length < row.length; length++) {
    assert.throws(() => new ByteReader(row.subarray(0, length)).string(), { code: "store_corrupt" });
  }
  assert.throws(() => new ByteReader(new Uint8Array([0x80])).varint(), { code: "store_corrupt" });
});
