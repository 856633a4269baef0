import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/fastCheck.ts";
import { word } from "../../../test/support/tokenLogs.ts";
import type { Bytes } from "../encoding/bytes.ts";
import { EMPTY } from "../encoding/bytes.ts";
import { uintToBigInt } from "../encoding/uint.ts";
import { decodeDecimals, decodeTokenText, decodeUint, MAX_RAW, MAX_TEXT } from "./tokenText.ts";

const ONES = new Uint8Array(32).fill(0xff);

function encodeString(content: string | Bytes): Bytes {
  const bytes = Buffer.from(content);
  const padding = Buffer.alloc(-bytes.length & 31);
  return Buffer.concat([word(32), word(bytes.length), bytes, padding]);
}

function encodeBytes32(content: string | Bytes): Bytes {
  const bytes = new Uint8Array(32);
  bytes.set(Buffer.from(content));
  return bytes;
}

const show = (content: string | Bytes) => decodeTokenText(encodeString(content)).text;
const shown = (data: Bytes) => decodeTokenText(data).text;

test("an ABI string is read as text", () => {
  assert.equal(show("Tether USD"), "Tether USD");
  assert.equal(show("Привет 世界 🪙"), "Привет 世界 🪙");
});

test("a bytes32 is read as text, without the zeros after it", () => {
  assert.equal(shown(encodeBytes32("MKR")), "MKR");
  assert.equal(shown(encodeBytes32("x".repeat(32))), "x".repeat(32));
  assert.equal(shown(encodeBytes32("世界")), "世界");
});

test("an answer without text is null", () => {
  const answers = [EMPTY, new Uint8Array(32), encodeString(""), encodeString(" \u200b\n"), word(32), word(18)];

  for (const data of answers) assert.equal(shown(data), null);
});

test("strings that leave the answer are null", () => {
  const letter = Buffer.alloc(32, "a");

  for (const words of [
    [word(32), word(33), letter],
    [word(32), ONES, letter],
    [word(32), word(2 ** 32), letter],
    [ONES, word(1), letter],
    [word(2 ** 32 + 32), word(1), letter],
    [word(65), word(1), letter],
    [word(96), word(1), letter],
    [word(32), word(1)],
    [word(32).subarray(1)],
    [letter, letter],
  ]) {
    assert.equal(shown(Buffer.concat(words)), null);
  }
});

test("a string may lie further in, and end without padding", () => {
  assert.equal(shown(Buffer.concat([word(64), ONES, word(2), Buffer.from("OK")])), "OK");
});

test("bytes that are no UTF-8 are replaced", () => {
  assert.equal(show(Uint8Array.of(0x41, 0xff, 0x42)), "A\ufffdB");
  assert.equal(show(Uint8Array.of(0x41, 0xe4, 0xb8)), "A\ufffd");
  assert.equal(show(Uint8Array.of(0xed, 0xa0, 0x80)), "\ufffd\ufffd\ufffd", "half of a surrogate pair");
});

test("characters that hide or turn text are stripped", () => {
  const unseen = "\0\t\n\r\x1b\x7f\x85\x9f\xad\u034f\u061c\u115f\u180e\u200b\u200c\u200d\u200e\u200f\u2028\u2029";
  const more = "\u202a\u202e\u2060\u2066\u2069\u3164\ufe0f\ufeff\uffa0\ufff9\ufffb\u{e0001}\u{e0041}\u{e0100}";
  for (const character of unseen + more) {
    assert.equal(show(`US${character}DC`), "USDC", `U+${character.codePointAt(0)!.toString(16)}`);
  }
});

test("white space is collapsed and trimmed", () => {
  assert.equal(show("  Wrapped \u00a0\u2003\u3000 Ether  "), "Wrapped Ether");
});

test("text is composed, also where a stripped character kept letter and accent apart", () => {
  assert.equal(show("Cafe\u0301"), "Café");
  assert.equal(show("Cafe\u200d\u0301"), "Café");
});

test("text ends before the character that would pass 256 bytes", () => {
  assert.equal(show("x".repeat(1000)), "x".repeat(256));
  assert.equal(show("世".repeat(100)), "世".repeat(85));
  assert.equal(show(`x${"🪙".repeat(100)}`), `x${"🪙".repeat(63)}`);
  assert.equal(show(`${"x".repeat(255)} x`), "x".repeat(255));
});

test("text beyond 4 KB of content is not looked at, and no character is split there", () => {
  assert.equal(show(`${"\u200b".repeat(1365)}世`), null);
  assert.equal(show(`A${"\u200b".repeat(1364)}世 and more`), "A世");
  assert.equal(show(`AB${"\u200b".repeat(1364)}世 and more`), "AB");
});

test("the answer is kept as it came, up to 4 KB", () => {
  const long = encodeString("x".repeat(100_000));

  assert.deepEqual(decodeTokenText(Buffer.from("junk")).raw, Buffer.from("junk"));
  assert.deepEqual(decodeTokenText(long).raw, long.subarray(0, 4096));
});

test("any bytes give text that is safe to show, fits and does not change when cleaned again", () => {
  const unsafe = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_C}\p{DI}\ufff9-\ufffb]|[^\S ]| {2}|^ | $/u;
  const point = fc.oneof(fc.nat({ max: 0x2ff }), fc.integer({ min: 0x2000, max: 0x206f }), fc.nat({ max: 0x10ffff }));
  const text = fc.array(point, { maxLength: 300 }).map((points) => String.fromCodePoint(...points));
  const bytes = fc.uint8Array({ maxLength: 400 });
  const answers = fc.oneof(
    text.map(encodeString),
    bytes.map(encodeString),
    fc.uint8Array({ minLength: 32, maxLength: 32 }),
    bytes,
  );
  fc.assert(
    fc.property(answers, (data) => {
      const { text, raw } = decodeTokenText(data);

      assert.ok(raw.length <= MAX_RAW);
      if (text === null) return;
      assert.ok(text !== "" && Buffer.byteLength(text) <= MAX_TEXT);
      assert.doesNotMatch(text, unsafe);
      assert.equal(text, text.normalize("NFC"));
      assert.equal(show(text), text);
    }),
    { numRuns: 2000 },
  );
});

test("a string cut short at any byte of its content is null", () => {
  fc.assert(
    fc.property(fc.uint8Array({ min: 33, max: 126, minLength: 1 }), fc.nat(), (letters, cut) => {
      const data = encodeString(letters);

      assert.equal(shown(data.subarray(0, cut % (64 + letters.length))), null);
      assert.equal(shown(data), Buffer.from(letters).toString());
    }),
  );
});

test("decimals are a uint8, or null", () => {
  assert.equal(decodeDecimals(word(18)), 18);
  assert.equal(decodeDecimals(word(0)), 0);
  assert.equal(decodeDecimals(word(255)), 255);
  assert.equal(decodeDecimals(Buffer.concat([word(6), ONES])), 6);
  for (const data of [word(256), ONES, EMPTY, word(18).subarray(1)]) assert.equal(decodeDecimals(data), null);
});

test("a uint is the first word of any answer that has one", () => {
  assert.equal(decodeUint(ONES), 2n ** 256n - 1n);
  assert.equal(decodeUint(new Uint8Array(32)), 0n);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), (data) => {
      const value = data.length < 32 ? null : uintToBigInt(data.subarray(0, 32));

      assert.equal(decodeUint(data), value);
      assert.equal(decodeDecimals(data), value !== null && value < 256n ? Number(value) : null);
    }),
  );
});
