import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../test/support/random.ts";
import { word as randomWord } from "../../../test/support/randomPrograms.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import * as arithmetic from "./arithmetic.ts";
import type { Word } from "./word.ts";
import { addressName, bigintOf, readWord, shortBytes, slotName, wordBytes, wordFromBytes, wordOf } from "./word.ts";

const CASES = Number(process.env.ORIEL_CASES ?? 2000);
const SEED = firstSeed();

const unsigned = (value: bigint) => BigInt.asUintN(256, value);
const signed = (value: bigint) => BigInt.asIntN(256, value);

/** The yellow paper's definitions, with bigints only. */
const EXPECTED: Readonly<Record<string, (a: bigint, b: bigint, c: bigint) => bigint>> = {
  add: (a, b) => unsigned(a + b),
  subtract: (a, b) => unsigned(a - b),
  multiply: (a, b) => unsigned(a * b),
  divide: (a, b) => (b === 0n ? 0n : a / b),
  modulo: (a, b) => (b === 0n ? 0n : a % b),
  divideSigned: (a, b) => (b === 0n ? 0n : unsigned(signed(a) / signed(b))),
  moduloSigned: (a, b) => (b === 0n ? 0n : unsigned(signed(a) % signed(b))),
  addModulo: (a, b, c) => (c === 0n ? 0n : (a + b) % c),
  multiplyModulo: (a, b, c) => (c === 0n ? 0n : (a * b) % c),
  extendSign: (a, b) => (a > 30n ? b : unsigned(BigInt.asIntN(Number(a + 1n) * 8, b))),
  isLess: (a, b) => (a < b ? 1n : 0n),
  isLessSigned: (a, b) => (signed(a) < signed(b) ? 1n : 0n),
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  not: (a) => unsigned(~a),
  byteAt: (a, b) => (a > 31n ? 0n : BigInt(Buffer.from(wordBytes(wordOf(b)))[Number(a)]!)),
  shiftLeft: (a, b) => (a > 255n ? 0n : unsigned(b << a)),
  shiftRight: (a, b) => (a > 255n ? 0n : b >> a),
  shiftRightSigned: (a, b) => unsigned(signed(b) >> (a > 255n ? 256n : a)),
  leadingZeros: (a) => BigInt(a.toString(2).padStart(256, "0").replace(/1.*/, "").length),
};

test(`all words are computed as bigints are, whichever way they are held (seed ${SEED})`, () => {
  const random = new Random(SEED);
  const functions = arithmetic as unknown as Record<string, (...words: Word[]) => Word>;
  for (let index = 0; index < CASES; index++) {
    const [a, b, c] = [randomWord(random), randomWord(random), randomWord(random)];
    for (const [name, expected] of Object.entries(EXPECTED)) {
      for (const first of [a, BigInt(random.int(300))]) {
        const actual = functions[name]!(wordOf(first), wordOf(b), wordOf(c));
        assert.equal(actual, wordOf(expected(first, b, c)), `${name}(${first}, ${b}, ${c})`);
      }
    }
  }
});

test(`powers are what repeated products are (seed ${SEED})`, () => {
  const random = new Random(SEED);
  for (let index = 0; index < 200; index++) {
    const [base, exponent] = [randomWord(random), random.int(40)];
    let expected = 1n;
    for (let i = 0; i < exponent; i++) expected = unsigned(expected * base);

    assert.equal(arithmetic.power(wordOf(base), exponent), wordOf(expected), `${base} ** ${exponent}`);
  }
});

test(`words come back from bytes and names as they were (seed ${SEED})`, () => {
  const random = new Random(SEED);
  for (let index = 0; index < CASES; index++) {
    const value = randomWord(random);
    const word = wordOf(value);
    const bytes = wordBytes(word);

    assert.equal(typeof word, value < 2n ** 53n ? "number" : "bigint");
    assert.equal(bigintOf(word), value);
    assert.equal(Buffer.from(bytes).toString("hex"), value.toString(16).padStart(64, "0"));
    assert.equal(slotName(word), Buffer.from(bytes).toString("hex"));
    assert.equal(addressName(word), Buffer.from(bytes.subarray(12)).toString("hex"));
    assert.equal(readWord(new DataView(bytes.buffer), 0), word);
    assert.equal(wordFromBytes(shortBytes(word)), word);
    assert.equal(arithmetic.byteLength(word), shortBytes(word).length);
  }
});
