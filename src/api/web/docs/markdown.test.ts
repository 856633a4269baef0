import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { marked } from "marked";
import { parseBlocks } from "./blocks.ts";
import { renderBlocks } from "./markdown.ts";

const render = (text: string, resolve = (target: string): string | undefined => target) =>
  renderBlocks(parseBlocks(text), resolve).text;

/** Elements in order with their text, without what only one of two renderers writes. */
function outline(markup: string): string[] {
  const plain = markup
    .replace(/<button[\s\S]*?<\/button>|<\/?(?:div|tbody)[^>]*>/g, "")
    .replace(
      /<(pre)[^>]*>(?:<code[^>]*>)?([\s\S]*?)\n?(?:<\/code>)?<\/pre>/g,
      (_, name, text) => `<${name}>${text}</${name}>`,
    )
    .replace(/<(?!a |img |ol )(\w+)[^>]*>/g, "<$1>")
    .replace(/ loading="lazy"/g, "")
    .replace(/(<li>)<p>([\s\S]*?)<\/p>/g, "$1$2")
    .replace(/&(?:#39|quot);/g, (entity) => (entity === "&quot;" ? '"' : "'"));
  const parts = plain.split(/(<[^>]+>)/).map((part) => part.replace(/\s+/g, " ").trim());
  return parts.filter((part) => part !== "");
}

test("documents are rendered as by another program", () => {
  const files = globSync(["docs/**/*.md", "*.md"]);
  assert.ok(files.length > 50);

  for (const file of files) {
    const text = readFileSync(file, "utf8");

    assert.deepEqual(outline(render(text)), outline(marked.parse(text, { async: false })), file);
  }
});

test("what documents may come to use is rendered as by another program, too", () => {
  for (const text of [
    "1. one\n\n   ```sh\n   npm ci\n\n   npm start\n   ```\n\n2. two\n   goes on\n3. three\n",
    "- a\n  - b\n    c\n  - d\n- e\n",
    "3. three\n4. four\n",
    "> quoted `code`\n> and **more**\n\nafter\n",
    "text\n- item\nlazy\n\n# Title #\nparagraph\n```\ncode <b>\n```\n| a | b |\n| - | - |\n| `x\\|y` | |\n\nend",
    "# A `code` & < tag\n\n![a picture](images/a.png) and [`link`](b.md#c) _emphasis_ snake_case_name \\_escaped\\_\n",
    "* star\n* **bold `a*b`**\n\n* apart\n",
  ]) {
    assert.deepEqual(outline(render(text)), outline(marked.parse(text, { async: false })), text);
  }
});

test("markup in a document is text, and so are links that lead nowhere", () => {
  const markup = `<script>alert(1)</script> <img src=x onerror="1"> [a](javascript:x) & 'q' \`<b>\`\n\n\`\`\`sh\n</pre><i>\n\`\`\`\n\n| <u> |\n| - |\n| <s> |\n`;

  const html = render(markup, () => undefined);

  assert.doesNotMatch(html, /<(script|img|b|i|u|s|a)\b/);
  assert.match(html, /&lt;script&gt;alert\(1\)&lt;\/script&gt;.* a &amp; &#39;q&#39; <code>&lt;b&gt;<\/code>/);
  assert.match(html, /&lt;\/pre&gt;&lt;i&gt;/);
});

test("headings have the anchors of GitHub, numbered where titles are equal, and cells the titles of their columns", () => {
  const html = render("## What `--x` does, & why\n\n## Same\n\n## Same\n\n| A `b` | C |\n| - | - |\n| 1 | 2 |\n");

  assert.deepEqual(
    [...html.matchAll(/<h2 id="([^"]*)"/g)].map(([, id]) => id),
    ["what---x-does--why", "same", "same-1"],
  );
  assert.match(html, /<td>1<\/td><td data-label="C">2<\/td>/);
});
