import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { quantity, toHex, uintToHex } from "../../chain/encoding/hex.ts";
import { uintFromBigInt, uintToBigInt } from "../../chain/encoding/uint.ts";
import { JsonWriter, recordKeys } from "./jsonWriter.ts";

const written = (write: (json: JsonWriter) => unknown): string => {
  const json = new JsonWriter(1);
  write(json);
  return json.bytes().toString();
};

test("numbers have the digits that the language gives them", (t) => {
  const seed = firstSeed();
  t.diagnostic(`seed ${seed}`);
  const random = new Random(seed);
  const powers = Array.from({ length: 54 }, (_, bits) => 2 ** bits).flatMap((power) => [power - 1, power, power + 1]);
  const tens = Array.from({ length: 16 }, (_, digits) => 10 ** digits).flatMap((power) => [power - 1, power]);
  const numbers = [...powers, ...tens].filter(Number.isSafeInteger);

  for (const number of [...numbers, ...Array.from({ length: 2000 }, () => random.int(2 ** random.int(53)))]) {
    assert.equal(
      written((json) => json.decimal(number)),
      `"${number}"`,
    );
    assert.equal(
      written((json) => json.quantity(number)),
      `"${quantity(number)}"`,
    );
  }
});

test("integers of any size have the digits that the language gives them", (t) => {
  const seed = firstSeed();
  t.diagnostic(`seed ${seed}`);
  const random = new Random(seed);
  const edges = Array.from({ length: 80 }, (_, digits) => 10n ** BigInt(digits)).flatMap((power) => [
    power - 1n,
    power,
  ]);
  const powers = Array.from({ length: 270 }, (_, bits) => 1n << BigInt(bits)).flatMap((power) => [power - 1n, power]);
  const uints = [...edges, ...powers].map(uintFromBigInt);

  for (const uint of [...uints, ...Array.from({ length: 3000 }, () => random.bytes(random.int(36)))]) {
    assert.equal(
      written((json) => json.decimal(uint)),
      `"${uintToBigInt(uint)}"`,
    );
    if (uint[0] === 0) continue;
    assert.equal(
      written((json) => json.quantity(uint)),
      `"${uintToHex(uint)}"`,
    );
  }
  assert.equal(
    written((json) => json.decimal(new Uint8Array(32))),
    '"0"',
  );
});

test("a record has the JSON that it has in one piece", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const text = 'a "quoted"\u2028 text \\ with \u{1f980} and \ud800';
  const keys = recordKeys("bytes", 'the "part"', "text");

  const json = written((writer) => {
    writer
      .fragment(keys.bytes)
      .hex(bytes)
      .fragment(keys['the "part"'])
      .hex(bytes, 16, 33)
      .fragment(keys.text)
      .string(text)
      .byte(0x7d);
  });

  assert.equal(json, JSON.stringify({ bytes: toHex(bytes), 'the "part"': toHex(bytes.subarray(16, 33)), text }));
});
