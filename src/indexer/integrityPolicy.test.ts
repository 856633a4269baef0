import assert from "node:assert/strict";
import { test } from "node:test";
import type { Findings } from "./integrity.ts";
import { IntegrityPolicy, PROVEN_AFTER } from "./integrityPolicy.ts";

const held: Findings = { held: ["size", "blockHash"], failed: [] };
const failed: Findings = { held: ["blockHash"], failed: [{ check: "size", message: "9 given, 8 computed" }] };
const REFUSED = {
  code: "upstream_invalid",
  message: "block 7 fails size (the size is that of the encoded block, where it has no uncles): 9 given, 8 computed",
};

function judged(findings: Findings, times: number, policy = new IntegrityPolicy("auto")): IntegrityPolicy {
  for (let number = 0; number < times; number++) policy.judge(findings, number);
  return policy;
}

test("a check that has held often enough refuses the first block that fails it, and counts nothing of it", () => {
  const policy = judged(held, PROVEN_AFTER);

  assert.throws(() => policy.judge(failed, 7), REFUSED);
  assert.deepEqual(policy.record.size, { held: PROVEN_AFTER, failed: 0 });
  assert.deepEqual(policy.record.blockHash, { held: PROVEN_AFTER, failed: 0 });
});

test("a check that has not held often enough lets a failure pass and keeps the first as a sample", () => {
  const policy = judged(held, PROVEN_AFTER - 1);

  policy.judge(failed, 7);
  policy.judge(failed, 8);

  assert.deepEqual(policy.record.size, {
    held: PROVEN_AFTER - 1,
    failed: 2,
    sample: "block 7: 9 given, 8 computed",
  });
});

test("a check that failed once is never enforced, however often it held since", () => {
  const policy = judged(held, 100, judged(failed, 1));

  assert.equal(policy.isEnforced("size"), false);
  assert.equal(policy.isEnforced("blockHash"), true);
  policy.judge(failed, 7);
});

test("enforce refuses from the first block, observe never", () => {
  assert.throws(() => new IntegrityPolicy("enforce").judge(failed, 7), REFUSED);
  judged(failed, 3, judged(held, 100, new IntegrityPolicy("observe")));
});

test("what a chain has shown outlives the process", () => {
  const stored = JSON.stringify(judged(held, PROVEN_AFTER).record);

  assert.throws(() => IntegrityPolicy.restore("auto", stored).judge(failed, 7), REFUSED);
  assert.deepEqual(IntegrityPolicy.restore("auto", undefined).record, {});
});
