import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_HIGHLIGHTED_LENGTH } from "./highlight.ts";
import { MAX_SHOWN_LENGTH, sourceView, textView } from "./sourceView.ts";

const shownCode = (markup: string) => /<pre id="code">([^<]*)<\/pre>/.exec(markup)?.[1];

test("of a file that is very long the beginning is shown, and the page says so", async () => {
  const text = "contract A {}\n".repeat(50_000);
  const { text: markup } = await sourceView([["A.sol", text]], {}, "/address/0x");

  assert.deepEqual([MAX_HIGHLIGHTED_LENGTH, MAX_SHOWN_LENGTH], [200_000, 400_000]);
  assert.equal(shownCode(markup), text.slice(0, MAX_SHOWN_LENGTH));
  assert.match(markup, />400,000<\/data> of <data value="700000">700,000<\/data> characters; the JSON has all/);
});

test("lines are counted from one", async () => {
  const { text: markup } = await sourceView([["A.sol", "a\nb\n\nc"]], {}, "/address/0x");

  assert.match(markup, /<pre aria-hidden="true">1\n2\n3\n4<\/pre>/);
});

test("one file of many is shown, with links to all, whatever they are called", async () => {
  const files = Array.from({ length: 200 }, (_, at) => [`<b>${at}</b>.sol`, `text_${at}`] as const);
  const { text: markup } = await sourceView(files, { file: "150" }, "/address/0x");

  assert.equal(shownCode(markup), "text_150");
  assert.equal(markup.match(/<li><a href="\/address\/0x\?tab=contract&amp;file=\d+#source"/g)?.length, 200);
  assert.match(markup, /file=150#source" aria-current="true"/);
  assert.doesNotMatch(markup, /<b>/);
  await assert.rejects(sourceView(files, { file: "200" }, "/address/0x"), { code: "invalid_argument" });
  await assert.rejects(sourceView(files, { file: ["1", "2"] }, "/address/0x"), { code: "invalid_argument" });
});

test("other long texts are cut", async () => {
  const { text: markup } = await textView("abi", "x".repeat(300_000));

  assert.equal(/<pre id="abi" tabindex="0">(x*)<\/pre>/.exec(markup)?.[1]?.length, 200_000);
});
