import assert from "node:assert/strict";
import { test } from "node:test";
import { threadCpuMs } from "../../test/support/threadCpu.ts";
import { answerBody } from "./envelope.ts";
import { findJsonFault, MAX_DEPTH, MAX_VALUES } from "./jsonFault.ts";

test("what is deep or has many values is found before it is parsed, and nothing else is", () => {
  const deep = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const many = (values: number) => `[${"1,".repeat(values - 1)}1]`;
  const quoted = JSON.stringify([`${"[".repeat(50_000)}\\"${",".repeat(200_000)}`, "\\\\"]);

  assert.equal(findJsonFault(deep(MAX_DEPTH)), undefined);
  assert.equal(findJsonFault(deep(MAX_DEPTH + 1)), "deep");
  assert.equal(findJsonFault(many(MAX_VALUES)), undefined);
  assert.equal(findJsonFault(many(MAX_VALUES + 1)), "many");
  assert.equal(findJsonFault(quoted), undefined);
  assert.equal(findJsonFault(`["${"x".repeat(5000)}`), undefined);
});

test("a body that would take long to parse is refused within milliseconds", async () => {
  const bodies = ["[".repeat(5 << 20), `[${"1,".repeat(2 << 20)}1]`, `[${"{}".repeat(2 << 20)}]`, "1".repeat(5 << 20)];
  for (const body of bodies) {
    const began = threadCpuMs();
    const answer = JSON.parse((await answerBody(body, async () => "never"))!) as {
      error: { code: number };
    };

    assert.ok([-32_700, -32_600].includes(answer.error.code));
    assert.ok(threadCpuMs() - began < 2000, "it took seconds");
  }
});
