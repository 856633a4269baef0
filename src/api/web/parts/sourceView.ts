import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { Query } from "../params.ts";
import { parseNumber } from "../params.ts";
import { figure, safeText } from "./format.ts";
import { highlight } from "./highlight.ts";
import { copyFrom } from "./links.ts";
import { longText } from "./longText.ts";

export const MAX_SHOWN_LENGTH = 400_000;

type File = readonly [path: string, text: string];

export async function sourceView(files: readonly File[], query: Query, path: string): Promise<Html> {
  const shown = parseNumber(query, "file", files.length - 1);
  const [name, text] = files[shown]!;
  const shownText = text.slice(0, MAX_SHOWN_LENGTH);
  const links = files.map(
    ([file], at) =>
      html`<li><a href="${path}?tab=contract&amp;file=${at}#source"${at === shown && CURRENT} title="${safeText(file, 300)}"><bdi>${safeText(file, 300)}</bdi></a></li>`,
  );
  const rest =
    text.length > MAX_SHOWN_LENGTH &&
    html`<p class="quiet">The first ${figure(MAX_SHOWN_LENGTH)} of ${figure(text.length)} characters; the JSON has all.</p>`;
  return html`<section class="panel source" id="source">
<header><h2>Source</h2><span class="quiet">${figure(files.length)} ${files.length === 1 ? "file" : "files"}</span></header>
<div class="files">${files.length > 1 && html`<nav aria-label="Files"><ul>${links}</ul></nav>`}
<div class="file"><p class="file-name"><code>${safeText(name, 300)}</code>${copyFrom("code")}</p>
<div class="code" tabindex="0" role="region" aria-label="Source code"><pre aria-hidden="true">${lineNumbers(shownText)}</pre><pre id="code">${await highlight(shownText)}</pre></div>${rest}</div></div></section>`;
}

/** Lines with numbers. */
const MAX_NUMBERED = 20_000;

function lineNumbers(text: string): string {
  let numbers = "1";
  for (
    let at = text.indexOf("\n"), line = 2;
    at >= 0 && line <= MAX_NUMBERED;
    at = text.indexOf("\n", at + 1), line++
  ) {
    numbers += `\n${line}`;
  }
  return numbers;
}

const CURRENT = html` aria-current="true"`;

const MAX_TEXT_LENGTH = 200_000;

export async function textView(id: string, text: string): Promise<Html> {
  const rest =
    text.length > MAX_TEXT_LENGTH &&
    html`<p class="quiet">The first ${figure(MAX_TEXT_LENGTH)} of ${figure(text.length)} characters; the JSON has all.</p>`;
  return html`<details class="bytes"><summary>Show <span class="quiet">${figure(text.length)} characters</span></summary>
<pre id="${id}" tabindex="0">${await longText(text.slice(0, MAX_TEXT_LENGTH))}</pre>${copyFrom(id)}${rest}</details>`;
}
