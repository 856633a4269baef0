import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../../test/support/random.ts";
import { firstSeed } from "../../../../test/support/seed.ts";
import { amount, formatUnits, percent, safeText, shortenUnits, time } from "./format.ts";

const SEED = firstSeed();

test(`an amount in whole units has all its digits (seed ${SEED})`, () => {
  const random = new Random(SEED);

  for (let round = 0; round < 500; round++) {
    const decimals = random.int(30);
    const units = BigInt(`0x${Buffer.from(random.bytes(1 + random.int(32))).toString("hex")}`);
    const text = formatUnits(units, decimals);
    const [whole, fraction = ""] = text.replaceAll(",", "").split(".");
    assert.equal(BigInt(whole + fraction.padEnd(decimals, "0")), units);
    assert.doesNotMatch(text, /\.\d*0$/);
  }
  assert.equal(formatUnits(-1_500_000n, 6), "-1.5");
  assert.equal(formatUnits(1_234_567n, 0), "1,234,567");
});

test("a short amount says that digits are left out, and never that there is nothing", () => {
  assert.equal(shortenUnits("1.123456"), "1.123456");
  assert.equal(shortenUnits("1.1234567"), "1.123456…");
  assert.equal(shortenUnits("1.0000004"), "1…");
  assert.equal(shortenUnits("0.000000000000411168"), "0.000000000000411…");
  assert.equal(shortenUnits("12"), "12");
});

test("an amount carries its smallest units, and the symbol a contract chose stays text", () => {
  const { text } = amount(10n ** 18n, { decimals: 18, symbol: '<b>"\u202eX' });

  assert.equal(
    text,
    '<data class="amount" value="1000000000000000000">1 <span class="unit"><bdi>&lt;b&gt;&quot;\ufffdX</bdi></span></data>',
  );
  assert.match(amount(5n, { decimals: 1e9 }).text, />5</);
});

test("invisible and direction-changing characters are made visible, and long text is cut", () => {
  assert.equal(safeText("a\u200bb\u2066c\u0000d\u3164e"), "a\ufffdb\ufffdc\ufffdd\ufffde");
  assert.equal(safeText("x".repeat(100), 10), `${"x".repeat(10)}…`);
});

test("a moment has its form for programs; one that no calendar has is a number", () => {
  assert.equal(time(1_700_000_000).text, '<time datetime="2023-11-14T22:13:20.000Z">2023-11-14 22:13:20 UTC</time>');
  assert.match(time(2 ** 53).text, /9007199254740992 s/);
});

test("a share of nothing is nothing", () => {
  assert.equal(percent(5n, 0n), "0%");
  assert.equal(percent(1, 3), "33.33%");
});
