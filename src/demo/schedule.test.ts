import assert from "node:assert/strict";
import { test } from "node:test";
import { timeOf } from "./schedule.ts";

const BEGIN = 1_700_000_000;
const WEEK = 604_800;

for (const { blocks, span } of [
  { blocks: 820, span: WEEK },
  { blocks: 60, span: WEEK },
  { blocks: 48, span: WEEK },
  { blocks: 820, span: 3600 },
]) {
  test(`${blocks} blocks fit ${span} seconds, each later than the one before`, () => {
    const options = { seed: "seed", begin: BEGIN, span, scene: 48, blocks };
    const times = [BEGIN, ...Array.from({ length: blocks }, (_, step) => timeOf(options, step))];

    assert.ok(times.slice(1).every((time, i) => time > times[i]!));
    assert.ok(times.at(-1)! < BEGIN + span);
  });
}

test("the last day has more than its share", () => {
  const options = { seed: "seed", begin: BEGIN, span: WEEK, scene: 48, blocks: 820 };
  const times = Array.from({ length: 820 }, (_, step) => timeOf(options, step));

  const late = times.filter((time) => time > BEGIN + WEEK - 86_400).length;
  assert.ok(late > 820 / 5 && late < 820 / 3, String(late));
});
