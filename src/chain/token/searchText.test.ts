import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/fastCheck.ts";
import { normaliseText } from "./searchText.ts";

test("case, accents, width and ligatures make no difference", () => {
  const same: readonly [string, string][] = [
    ["TÉTHER usd", "tether USD"],
    ["Straße", "STRASSE"],
    ["ẞ", "ss"],
    ["ＷＥＴＨ", "weth"],
    ["ﬁnance", "FINANCE"],
    ["ΟΔΟΣ", "οδοσ"],
    ["İstanbul", "istanbul"],
    ["  Wrapped\u00a0\t Coin ", "wrapped coin"],
    ["US\u200bDT\u202e\u0000", "usdt"],
    ["㎏", "kg"],
    ["US\ufffdDT", "US\u0000DT"],
  ];
  for (const [one, other] of same) assert.equal(normaliseText(one), normaliseText(other), `${one} and ${other}`);
});

test("other scripts, signs and emoji stay", () => {
  assert.equal(normaliseText("日本 🦄 100%_\\'\""), "日本 🦄 100%_\\'\"");
});

test("what has nothing to be seen is empty", () => {
  for (const text of ["", " ", "\u0000", "\u202e\u200b", "\u0301"]) assert.equal(normaliseText(text), "");
});

test("a text that was normalised stays as it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
      const once = normaliseText(text);
      assert.equal(normaliseText(once), once);
    }),
    { numRuns: 3000 },
  );
});
