import assert from "node:assert/strict";
import { test } from "node:test";
import type { Findings } from "../chain/integrity/integrity.ts";
import { IntegrityPolicy, PROVEN_AFTER } from "./integrityPolicy.ts";

const held: Findings = { held: ["size", "blockHash"], failed: [], unknown: {} };
const failure = { check: "size", message: "9 given, 8 computed" } as const;
const failed: Findings = { held: ["blockHash"], failed: [failure], unknown: {} };
const REFUSED = {
  code: "upstream_invalid",
  message:
    "block 7 fails size (the size is that of the encoded block, where it has no uncles): 9 given, 8 computed. " +
    "To follow this node all the same, start with --integrity observe",
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

test("a check that fails on a block with an unknown field is inconclusive, and the record says since when", () => {
  const policy = judged(held, PROVEN_AFTER);

  policy.judge({ ...failed, unknown: { size: ["slotNumber"] } }, 7);
  policy.judge({ ...failed, unknown: { size: ["slotNumber", "other"] } }, 8);

  const { size, blockHash } = policy.record;
  assert.deepEqual(size, {
    held: PROVEN_AFTER,
    failed: 0,
    unchecked: 2,
    since: "block 7: unknown field slotNumber",
  });
  assert.deepEqual(blockHash, { held: PROVEN_AFTER + 2, failed: 0 });
  assert.throws(() => policy.judge(failed, 7), REFUSED);
});

test("an unknown field with which a check once held does not excuse a later failure", () => {
  const policy = judged({ ...held, unknown: { size: ["milliTimestamp"] } }, PROVEN_AFTER);
  const restored = IntegrityPolicy.restore("auto", JSON.stringify(policy.record));

  assert.throws(() => restored.judge({ ...failed, unknown: { size: ["milliTimestamp"] } }, 7), REFUSED);
  restored.judge({ ...failed, unknown: { size: ["milliTimestamp", "slotNumber"] } }, 8);

  assert.equal(restored.record.size!.since, "block 8: unknown field slotNumber");
});

test("a node that makes up fields does not let the record grow without end", () => {
  const policy = new IntegrityPolicy("auto");
  for (let number = 0; number < 500; number++)
    policy.judge({ ...held, unknown: { size: [`made-up-${number}`] } }, number);
  const names = Array.from({ length: 500 }, (_, index) => `another-${index}`);
  policy.judge({ ...failed, unknown: { size: names } }, 500);

  assert.equal(policy.record.size!.unrelated!.length, 64);
  assert.ok(JSON.stringify(policy.record).length < 2000);
});

test("a block without transactions relies on roots that other blocks have proven", () => {
  const empty: Findings = { held: [], failed: [{ check: "noTransactions", message: "the root is 0x12" }], unknown: {} };
  const proven = () => judged({ held: ["transactionsRoot"], failed: [], unknown: {} }, PROVEN_AFTER);

  assert.throws(() => proven().judge(empty, 7), /block 7 fails noTransactions/);
  const observing = IntegrityPolicy.restore("auto", JSON.stringify({ noTransactions: { held: 1, failed: 1 } }));
  judged({ held: ["transactionsRoot"], failed: [], unknown: {} }, PROVEN_AFTER, observing).judge(empty, 7);
  assert.equal(observing.record.noTransactions!.failed, 2);
});

test("a copy that is spelled otherwise stops no chain unless all checks are enforced", () => {
  const findings: Findings = { held: [], failed: [{ check: "copies", message: "none" }], unknown: {} };
  const held: Findings = { held: ["copies"], failed: [], unknown: {} };
  const policy = new IntegrityPolicy("auto");
  for (let block = 0; block < 40; block++) policy.judge(held, block);

  policy.judge(findings, 41);

  assert.equal(policy.record.copies?.failed, 1);
  assert.throws(() => new IntegrityPolicy("enforce").judge(findings, 1), { code: "upstream_invalid" });
});

test("a name of a field that is long is not remembered", () => {
  const policy = new IntegrityPolicy("auto");

  policy.judge({ held: ["blockHash"], failed: [], unknown: { blockHash: ["x".repeat(1000), "short"] } }, 1);

  assert.deepEqual(policy.record.blockHash?.unrelated, ["short"]);
});

test("a block is not fetched again if its failures are excused or known", () => {
  const policy = new IntegrityPolicy("auto");
  const failing = (unknown: Findings["unknown"]): Findings => ({
    held: [],
    failed: [{ check: "blockHash", message: "other" }],
    unknown,
  });

  assert.equal(policy.isSettled(failing({})), false);
  assert.equal(policy.isSettled(failing({ blockHash: ["newRoot"] })), true);
  policy.judge(failing({}), 1);
  assert.equal(policy.isSettled(failing({})), true);
});
