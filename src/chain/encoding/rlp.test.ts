import assert from "node:assert/strict";
import { test } from "node:test";
import { RLP } from "@ethereumjs/rlp";
import { fc } from "../../../test/support/fastCheck.ts";
import { toHex } from "./hex.ts";
import { RlpWriter } from "./rlp.ts";

type Item = Uint8Array | Item[];

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 4 }),
  fc.uint8Array({ minLength: 50, maxLength: 60 }),
  fc.uint8Array({ minLength: 250, maxLength: 260 }),
);

const { item } = fc.letrec<{ item: Item }>((tie) => ({
  item: fc.oneof({ depthSize: "small" }, bytes, fc.array(tie("item"), { maxLength: 8 })),
}));

function write(value: Item, writer: RlpWriter): void {
  if (value instanceof Uint8Array) {
    writer.string(value);
    return;
  }
  const start = writer.length;
  for (const entry of value.toReversed()) write(entry, writer);
  writer.closeList(start);
}

test("items nested in any way are written as another library writes them", () => {
  const writer = new RlpWriter();
  fc.assert(
    fc.property(item, (value) => {
      writer.reset();
      write(value, writer);

      assert.equal(toHex(writer.written), toHex(RLP.encode(value)));
      assert.equal(writer.length, writer.written.length);
    }),
  );
});

test("numbers are written as another library writes them", () => {
  const edges = [0, 1, 127, 128, 255, 256, 65535, 65536, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER];
  fc.assert(
    fc.property(fc.oneof(fc.constantFrom(...edges), fc.nat({ max: Number.MAX_SAFE_INTEGER })), (value) => {
      const writer = new RlpWriter();
      writer.number(value);

      assert.equal(toHex(writer.written), toHex(RLP.encode(value)));
    }),
  );
});

test("what was written can be framed as a string afterwards", () => {
  fc.assert(
    fc.property(bytes, bytes, (before, value) => {
      const writer = new RlpWriter();
      writer.raw(before);
      const start = writer.length;
      writer.raw(value);
      writer.closeString(start);

      assert.equal(toHex(writer.written), toHex(Buffer.concat([RLP.encode(value), before])));
    }),
  );
});

test("lengths around each change of the header and beyond the first buffer are right", () => {
  for (const length of [0, 1, 55, 56, 255, 256, 16_383, 16_384, 65_535, 65_536, 1_000_000]) {
    const value = new Uint8Array(length).fill(0x81);
    const writer = new RlpWriter();
    write([value, value], writer);

    assert.ok(Buffer.from(RLP.encode([value, value])).equals(writer.written), `length ${length}`);
  }
});
