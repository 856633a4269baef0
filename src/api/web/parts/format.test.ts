import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../../test/support/random.ts";
import { firstSeed } from "../../../../test/support/seed.ts";
import { amount, coins, count, formatUnits, percent, roundUnits, safeText, time } from "./format.ts";

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

test(`counts are grouped as ICU groups them (seed ${SEED})`, () => {
  const random = new Random(SEED);
  const icu = new Intl.NumberFormat("en", { maximumFractionDigits: 20 });

  for (let round = 0; round < 500; round++) {
    const integer = BigInt(`0x${Buffer.from(random.bytes(1 + random.int(32))).toString("hex")}`);
    for (const value of [integer, -integer, Number(integer % 10n ** 15n), random.int(2000) / 7, -random.int(2000)]) {
      assert.equal(count(value), icu.format(value === 0 ? 0 : value));
    }
  }
});

test("an amount is rounded to two decimal places, six or four significant digits, by its size", () => {
  const rounded = (text: string) => {
    const [whole, fraction = ""] = text.split(".");
    return roundUnits(BigInt(whole! + fraction.padEnd(18, "0")), 18);
  };

  assert.equal(rounded("123456.789"), "123,456.79");
  assert.equal(rounded("999.99999"), "1,000");
  assert.equal(rounded("12.3456789"), "12.3457");
  assert.equal(rounded("1.0000004"), "1");
  assert.equal(rounded("0.128463217"), "0.1285");
  assert.equal(rounded("0.000000411168"), "0.0000004112");
  assert.equal(rounded("-0.99999"), "-1");
  assert.equal(rounded("12"), "12");
  assert.equal(roundUnits(0n, 18), "0");
});

test("dust of the coin is shown in Gwei and wei, with the exact amount for programs", () => {
  const shown = (wei: bigint) => coins(wei, "ETH").text.replace(/<[^>]*>/g, "");

  assert.deepEqual([10n ** 12n, 10n ** 12n - 1n, 10n ** 6n, 999_999n, 8n, 0n].map(shown), [
    "0.000001 ETH",
    "1,000 Gwei",
    "0.001 Gwei",
    "999,999 wei",
    "8 wei",
    "0 ETH",
  ]);
  assert.match(coins(8n, "ETH").text, /value="8"/);
  assert.equal(percent(1, 1_000_000), "<0.01%");
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
