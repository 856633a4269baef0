import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/fastCheck.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { KeyedHash } from "./keyedHash.ts";

type State = [number, number, number, number];

const rotate = (value: number, by: number) => (value << by) | (value >>> (32 - by));

/** As in the paper, with any number of rounds, returning both halves. */
function halfSipHash(secret: Bytes, value: Bytes, rounds: { word: number; end: number }): [number, number] {
  const wordAt = (bytes: Bytes, at: number) => new DataView(bytes.buffer, bytes.byteOffset).getInt32(at, true);
  const [low, high] = [wordAt(secret, 0), wordAt(secret, 4)];
  const v: State = [low, high ^ 0xee, low ^ 0x6c796765, high ^ 0x74656462];
  const mix = (count: number) => {
    for (let i = 0; i < count; i++) round(v);
  };
  const words = Array.from({ length: value.length / 4 }, (_, at) => wordAt(value, at * 4));
  for (const word of [...words, value.length << 24]) {
    v[3] ^= word;
    mix(rounds.word);
    v[0] ^= word;
  }
  v[2] ^= 0xee;
  mix(rounds.end);
  const first = v[1] ^ v[3];
  v[1] ^= 0xdd;
  mix(rounds.end);
  return [first >>> 0, (v[1] ^ v[3]) >>> 0];
}

function round(v: State): void {
  v[0] += v[1];
  v[1] = rotate(v[1], 5) ^ v[0];
  v[0] = rotate(v[0], 16);
  v[2] += v[3];
  v[3] = rotate(v[3], 8) ^ v[2];
  v[0] += v[3];
  v[3] = rotate(v[3], 7) ^ v[0];
  v[2] += v[1];
  v[1] = rotate(v[1], 13) ^ v[2];
  v[2] = rotate(v[2], 16);
}

test("the plain form gives the published answer for an empty value", () => {
  const secret = Uint8Array.from({ length: 8 }, (_, at) => at);
  assert.deepEqual(halfSipHash(secret, new Uint8Array(0), { word: 2, end: 4 }), [0x591f8d21, 0xc83cb8b9]);
});

test("keys are the first 52 bits of HalfSipHash-1-3", () => {
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
  const value = fc.constantFrom(0, 4, 8, 20, 32, 36).chain(bytes);
  fc.assert(
    fc.property(bytes(8), value, (secret, given) => {
      const [first, second] = halfSipHash(secret, given, { word: 1, end: 3 });
      assert.equal(new KeyedHash(secret).key(given), (second >>> 12) * 2 ** 32 + first);
    }),
  );
});
