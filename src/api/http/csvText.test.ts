import assert from "node:assert/strict";
import { test } from "node:test";
import { csvCell, csvLine } from "./csvText.ts";

test("cells are those of RFC 4180", () => {
  assert.equal(
    csvLine(["a", 'say "no"', "1,2", "two\nlines", "", null, undefined, true, 5]),
    'a,"say ""no""","1,2","two\nlines",,,,true,5\r\n',
  );
  assert.equal(csvLine([["a", "b"], [], [{ a: 1 }], { b: "x" }]), 'a;b,,"[{""a"":1}]","{""b"":""x""}"\r\n');
});

test("no cell begins as a formula does", () => {
  for (const text of [
    "=1+1",
    "+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "=cmd|' /C calc'!A0",
    '="x","y"',
    "|cmd",
    "\n=1",
    "＝1+1",
    "＋1",
    "－1",
    "＠SUM(A1)",
    ["=1", "b"],
  ]) {
    const cell = csvCell(text).replace(/^"/, "");
    assert.match(cell, /^'/, JSON.stringify(text));
  }
  assert.equal(csvCell("-12"), "-12");
  assert.equal(csvCell(-3), "-3");
});
