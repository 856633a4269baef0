import assert from "node:assert/strict";
import { test } from "node:test";
import { answerBody, JsonText } from "./envelope.ts";
import { findJsonFault, MOST_DEPTH, MOST_VALUES } from "./jsonFault.ts";

test("what is deep or has many values is found before it is parsed, and nothing else is", () => {
  const deep = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const many = (values: number) => `[${"1,".repeat(values - 1)}1]`;
  const quoted = JSON.stringify([`${"[".repeat(50_000)}\\"${",".repeat(200_000)}`, "\\\\"]);

  assert.equal(findJsonFault(deep(MOST_DEPTH)), undefined);
  assert.equal(findJsonFault(deep(MOST_DEPTH + 1)), "deep");
  assert.equal(findJsonFault(many(MOST_VALUES)), undefined);
  assert.equal(findJsonFault(many(MOST_VALUES + 1)), "many");
  assert.equal(findJsonFault(quoted), undefined);
  assert.equal(findJsonFault(`["${"x".repeat(5000)}`), undefined);
});

test("a body that would take long to parse is refused within milliseconds", async () => {
  const bodies = ["[".repeat(5 << 20), `[${"1,".repeat(2 << 20)}1]`, `[${"{}".repeat(2 << 20)}]`, "1".repeat(5 << 20)];
  for (const body of bodies) {
    const began = performance.now();
    const answer = JSON.parse((await answerBody(body, async () => "never", { refusesCostly: true }))!) as {
      error: { code: number };
    };

    assert.ok([-32_700, -32_600].includes(answer.error.code));
    assert.ok(performance.now() - began < 2000, "it took seconds");
  }
});

test("calls of a batch may run at one time, and their answers keep the order", async () => {
  let [running, most] = [0, 0];
  const answer = async (_: string, [value]: unknown[]) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 5 - Number(value)));
    running--;
    return new JsonText(`{"raw": ${value}}`);
  };
  const batch = [0, 1, 2, 3, 4].map((value) => ({ jsonrpc: "2.0", id: value, method: "m", params: [value] }));

  const text = await answerBody(JSON.stringify(batch), answer, { atOnce: 3 });

  assert.equal(most, 3);
  assert.equal(text, `[${batch.map(({ id }) => `{"jsonrpc":"2.0","id":${id},"result":{"raw": ${id}}}`).join(",")}]`);
});
