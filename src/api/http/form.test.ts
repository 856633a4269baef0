import assert from "node:assert/strict";
import { test } from "node:test";
import { array, asyncProperty, assert as check, constantFrom, oneof, string, tuple } from "fast-check";
import { parseForm } from "./form.ts";

test("a form is read as URLSearchParams reads it", async () => {
  const pieces = oneof(
    string({ unit: "binary-ascii" }),
    constantFrom("%", "%4", "%41", "%zz", "+", "=", "&", "%e2%82%ac"),
  );
  await check(
    asyncProperty(array(pieces, { maxLength: 30 }), async (parts) => {
      const text = parts.join("").replaceAll(/[\ud800-\udfff\ufeff]/g, "?");
      assert.deepEqual(await parseForm(Buffer.from(text)), [
        ...new URLSearchParams(text.startsWith("?") ? `&${text}` : text),
      ]);
    }),
    { numRuns: 2000 },
  );
  await check(
    asyncProperty(array(tuple(string(), string())), async (pairs) => {
      assert.deepEqual(await parseForm(Buffer.from(new URLSearchParams(pairs).toString())), pairs);
    }),
  );
});

test("long values are read as short ones are", async () => {
  const value = `é+%&=${"x y%".repeat(100_000)}`;
  const body = new URLSearchParams({ a: value, b: "2" }).toString();
  assert.deepEqual(await parseForm(Buffer.from(body)), [
    ["a", value],
    ["b", "2"],
  ]);
});
