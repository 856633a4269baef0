import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../../test/support/random.ts";
import { firstSeed } from "../../../../test/support/seed.ts";
import { highlight, MAX_HIGHLIGHTED_LENGTH, MAX_MARKED } from "./highlight.ts";

const SEED = firstSeed();

const plain = (markup: string) =>
  markup
    .replace(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

test("words are marked by what they are", async () => {
  const { text } = await highlight('uint256 x = 0x1f; // "no"\nreturn "a\\"//b"; /* a\nb */');

  assert.equal(
    text,
    '<i class="t">uint256</i> x = <i class="n">0x1f</i>; <i class="c">// &quot;no&quot;</i>\n' +
      '<i class="k">return</i> <i class="s">&quot;a\\&quot;//b&quot;</i>; <i class="c">/* a\nb */</i>',
  );
});

test(`whatever is highlighted, its text stays the same and none of it becomes markup (seed ${SEED})`, async () => {
  const random = new Random(SEED);
  const pieces = [
    "/*",
    "*/",
    "//",
    '"',
    "'",
    "\\",
    "\n",
    "<b>",
    "&amp;",
    "</i>",
    "0x",
    "9",
    " ",
    "contract",
    "ü",
    "\t",
  ];
  for (let round = 0; round < 500; round++) {
    const source = Array.from({ length: random.between(0, 40) }, () => random.pick(pieces)).join("");

    const { text } = await highlight(source);

    assert.equal(plain(text), source, JSON.stringify(source));
    assert.match(text, /^(<i class="[csnkt]">[^<>]*<\/i>|[^<>])*$/);
  }
});

test("what turns text around or cannot be seen is shown", async () => {
  const { text } = await highlight("a\u202eb\u200b\r\nc\td");

  assert.equal(plain(text), "a\ufffdb\ufffd\nc\td");
});

test("a file that is too long is plain text", async () => {
  const source = "contract A {}\n".repeat(MAX_HIGHLIGHTED_LENGTH / 10);

  const { text } = await highlight(source);

  assert.equal(text, source);
});

test("of very many words the first are marked", async () => {
  const source = "if ".repeat(MAX_HIGHLIGHTED_LENGTH / 3);

  const { text } = await highlight(source);

  assert.deepEqual([MAX_MARKED, text.match(/<i class="k">/g)?.length], [40_000, 40_000]);
  assert.equal(plain(text), source);
});
