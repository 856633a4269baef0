import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../test/support/random.ts";
import { firstSeed } from "../../test/support/seed.ts";
import { Html, html } from "./html.ts";

const SEED = firstSeed();

test("values are escaped in text and in attributes, markup is not, and what is absent is nothing", () => {
  const hostile = `<img src=x onerror="alert('1')">&amp;`;

  const { text } =
    html`<p title="${hostile}">${hostile}${html`<b>${1n}</b>`}${[1, "<", null, html`<i></i>`]}${undefined}${false}</p>`;

  const safe = "&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;amp;";
  assert.equal(text, `<p title="${safe}">${safe}<b>1</b>1&lt;<i></i></p>`);
});

test(`no text ends the attribute or the element it stands in (seed ${SEED})`, () => {
  const random = new Random(SEED);
  const signs = `<>"'&;=/ ab\n\u0000\u202e`;

  for (let round = 0; round < 2000; round++) {
    const given = Array.from({ length: random.int(20) }, () => signs[random.int(signs.length)]).join("");
    const { text } = html`<p title="${given}">${given}</p>`;
    const inside = /^<p title="([^"<>]*)">([^<>]*)<\/p>$/s.exec(text);
    assert.ok(inside, text);
    for (const part of inside.slice(1)) assert.equal(readEscaped(part!), given);
  }
});

function readEscaped(text: string): string {
  const signs: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => signs[name]!);
}

test("only a template makes markup of a text that looks like it", () => {
  const looksLike = { text: "<b>" } as unknown as Html;

  assert.ok(html`<b></b>` instanceof Html);
  assert.throws(() => html`${looksLike}`.text);
});
