import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../../test/support/random.ts";
import { firstSeed } from "../../../../test/support/seed.ts";
import { tickText, timeTicks, valueTicks } from "./axes.ts";

const SEED = firstSeed();

const at = (text: string) => Date.parse(`${text}Z`) / 1000;

test(`ticks of values are round, even, and enclose the values (seed ${SEED})`, () => {
  const random = new Random(SEED);
  assert.deepEqual(valueTicks(0, 37), [0, 10, 20, 30, 40]);
  assert.deepEqual(valueTicks(292.24, 309.59), [290, 295, 300, 305, 310]);
  assert.deepEqual(valueTicks(0, 0), [0, 0.5]);
  for (let round = 0; round < 500; round++) {
    const low = random.between(1, 1000) * 10 ** random.between(-12, 12);
    const high = low * (1 + random.between(0, 1000) * 10 ** random.between(-7, 2));
    const ticks = valueTicks(low, high);
    const texts = ticks.map((tick) => tickText(tick, ticks));

    assert.ok(ticks[0]! <= low * (1 + 1e-9) && ticks.at(-1)! >= high * (1 - 1e-9), `${low} to ${high}: ${ticks}`);
    assert.ok(ticks.length >= 2 && ticks.length <= 7, `${low} to ${high}: ${ticks}`);
    assert.equal(new Set(texts).size, texts.length, `${texts}`);
  }
});

test("ticks of times are round in UTC", () => {
  const texts = (from: string, to: string) => timeTicks(at(from), at(to)).map(({ text }) => text);

  assert.deepEqual(texts("2026-11-17T20:30:00", "2026-11-18T02:30:00"), [
    "21:00",
    "22:00",
    "23:00",
    "18 Nov",
    "01:00",
    "02:00",
  ]);
  assert.deepEqual(
    texts("2026-11-11T00:00:00", "2026-11-17T12:00:00"),
    [11, 12, 13, 14, 15, 16, 17].map((day) => `${day} Nov`),
  );
  assert.equal(
    texts("2024-01-01T00:00:00", "2026-11-17T00:00:00").every((text) => /^[A-Z][a-z]{2} 202\d$/.test(text)),
    true,
  );
  for (const tick of timeTicks(at("2026-11-17T20:31:10"), at("2026-11-17T21:05:00"))) assert.equal(tick.time % 900, 0);
});
