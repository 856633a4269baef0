import { escapeHtml, Html, html } from "../../html.ts";
import { copyFrom } from "../parts/links.ts";
import type { Block } from "./blocks.ts";
import type { ResolveLink } from "./inline.ts";
import { plainText, renderInline } from "./inline.ts";

type Kind<K extends Block["kind"]> = Extract<Block, { kind: K }>;

/** Anchor of a heading as GitHub makes it. */
export function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** Of equal titles, those after the first are numbered. Headings inside other blocks have no anchor. */
export function anchorsOf(blocks: readonly Block[]): ReadonlyMap<Block, string> {
  const seen = new Map<string, number>();
  const anchors = new Map<Block, string>();
  for (const block of blocks) {
    if (block.kind !== "heading") continue;
    const slug = slugOf(plainText(block.text));
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    anchors.set(block, before === 0 ? slug : `${slug}-${before}`);
  }
  return anchors;
}

interface Rendering {
  readonly anchors: ReadonlyMap<Block, string>;
  readonly inline: (text: string) => Html;
  /** Code so far, to number it. */
  listings: number;
}

export function renderBlocks(blocks: readonly Block[], resolve: ResolveLink): Html {
  const inline = (text: string) => renderInline(text, resolve);
  return renderAll(blocks, { anchors: anchorsOf(blocks), inline, listings: 0 });
}

function renderAll(blocks: readonly Block[], rendering: Rendering): Html {
  return html`${blocks.map((block) => html`${renderBlock(block, rendering)}\n`)}`;
}

function renderBlock(block: Block, rendering: Rendering): Html {
  if (block.kind === "paragraph") return html`<p>${rendering.inline(block.text)}</p>`;
  if (block.kind === "heading") return renderHeading(block, rendering);
  if (block.kind === "code") return renderCode(block, `code-${++rendering.listings}`);
  if (block.kind === "quote") return html`<blockquote>${renderAll(block.blocks, rendering)}</blockquote>`;
  return block.kind === "list" ? renderList(block, rendering) : renderTable(block, rendering);
}

function renderHeading(block: Kind<"heading">, { inline, anchors }: Rendering): Html {
  const [name, anchor] = [`h${block.level}`, anchors.get(block)];
  const id = anchor === undefined ? "" : ` id="${escapeHtml(anchor)}"`;
  return new Html(`<${name}${id}>${inline(block.text)}</${name}>`);
}

function renderCode({ language, text }: Kind<"code">, id: string): Html {
  const pre = html`<pre id="${id}" tabindex="0"${language !== "" && html` data-language="${language}"`}>${text}</pre>`;
  return html`<div class="listing">${pre}${copyFrom(id)}</div>`;
}

/** An item with one paragraph is tight. */
function renderList({ start, items }: Kind<"list">, rendering: Rendering): Html {
  const all = items.map((blocks) => {
    const [first, ...rest] = blocks;
    if (first?.kind !== "paragraph") return html`<li>${renderAll(blocks, rendering)}</li>\n`;
    return html`<li>${rendering.inline(first.text)}${rest.length > 0 && renderAll(rest, rendering)}</li>\n`;
  });
  if (start === undefined) return html`<ul>\n${all}</ul>`;
  return html`<ol${start !== 1 && html` start="${start}"`}>\n${all}</ol>`;
}

/** On narrow screens each row is a card, whose values carry the titles of their columns. */
function renderTable({ head, rows }: Kind<"table">, { inline }: Rendering): Html {
  const titles = head.map(plainText);
  const cell = (text: string, at: number) =>
    html`<td${at > 0 && html` data-label="${titles[at]!}"`}>${inline(text)}</td>`;
  return html`<table class="cards"><thead><tr>${head.map((title) => html`<th scope="col">${inline(title)}</th>`)}</tr></thead><tbody>
${rows.map((row) => html`<tr>${row.map(cell)}</tr>\n`)}</tbody></table>`;
}
