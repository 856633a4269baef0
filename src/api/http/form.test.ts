import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/fastCheck.ts";
import { parseForm } from "./form.ts";

test("a form is read as URLSearchParams reads it", async () => {
  const pieces = fc.oneof(
    fc.string({ unit: "binary-ascii" }),
    fc.constantFrom("%", "%4", "%41", "%zz", "+", "=", "&", "%e2%82%ac"),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 30 }), async (parts) => {
      const text = parts.join("").replaceAll(/[\ud800-\udfff\ufeff]/g, "?");
      assert.deepEqual(await parseForm(Buffer.from(text)), [
        ...new URLSearchParams(text.startsWith("?") ? `&${text}` : text),
      ]);
    }),
    { numRuns: 2000 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.string(), fc.string())), async (pairs) => {
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
