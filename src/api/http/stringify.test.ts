import assert from "node:assert/strict";
import { test } from "node:test";
import { constant, stringify } from "./stringify.ts";

test("an answer has the JSON that it has in one piece, however long it is", async () => {
  const items = Array.from({ length: 173 }, (_, at) => ({ at, text: `"${at}"\u2028`, none: null, left: undefined }));
  const answers = [
    {},
    { items },
    { items: [], page: 1 },
    { items, page: 1, next: { page: 2 } },
    { items: items.slice(0, 50), page: 1 },
    { page: 1, items },
    { items: "none", page: 1 },
    { items: [undefined, 1], page: 1 },
    items,
    [],
    { page: 1, items: items.slice(0, 3).map(constant) },
    { items: [constant({ text: "\u2028" }), undefined, ...items.slice(0, 60)], page: 1 },
  ];

  for (const answer of answers) assert.equal(await stringify(answer), JSON.stringify(answer));
});
