import assert from "node:assert/strict";
import { test } from "node:test";
import { numericIds } from "./numericIds.ts";

test("ids that are numbers are found as they were written, and only those of messages", () => {
  const cases: [body: string, ids: [number, string][]][] = [
    ['{"id":1.50}', [[0, "1.50"]]],
    [' { "params" : [{"id":2.5}] , "id" : -1e+400 }', [[0, "-1e+400"]]],
    ['{"id":1.5,"id":"a"}', []],
    ['{"id":"a","id":1.5}', [[0, "1.5"]]],
    ['{"x":"\\"id\\":7","id":9007199254740993}', [[0, "9007199254740993"]]],
    [
      '[{"id":1.5},3,{"params":{"id":4}},[{"id":5}],{"id":6.25}]',
      [
        [0, "1.5"],
        [4, "6.25"],
      ],
    ],
    ["[]", []],
    ["1.5", []],
  ];
  for (const [body, ids] of cases) assert.deepEqual([...numericIds(body)], ids, body);
});
