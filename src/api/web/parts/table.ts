import type { PageInfo } from "../../../query/pages.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import { count } from "./format.ts";

export interface Column {
  readonly title: string;
  /** Right-aligned. */
  readonly isNumber?: boolean;
  /** In a card: at the right of its first line, below without its title, or left out. */
  readonly card?: "end" | "plain" | "none";
  /** Sort key, if the title of the column links to it. */
  readonly sort?: SortLink;
}

interface SortLink {
  readonly path: string;
  readonly order: "asc" | "desc" | undefined;
}

/** On narrow screens each row is a card, whose values carry the titles of their columns. */
export function table(
  columns: readonly (Column | string)[],
  rows: readonly (readonly Content[])[],
  none: string,
): Html {
  if (rows.length === 0) return html`<p class="none">${none}</p>`;
  const all = columns.map((column) => (typeof column === "string" ? { title: column } : column));
  const head = all.map((column: Column) => headCell(column));
  const attributes = all.map((column: Column, at) => cellAttributes(column, at === 0));
  const body = rows.map(
    (cells) => html`<tr>${cells.map((cell, at) => html`<td${attributes[at]}>${cell}</td>`)}</tr>\n`,
  );
  return html`${sortLinks(all)}<div class="scroll" tabindex="0" role="group" aria-label="${all[0]!.title} and more"><table class="cards"><thead><tr>${head}</tr></thead><tbody>
${body}</tbody></table></div>`;
}

/** Cards have no titles to sort by. */
function sortLinks(columns: readonly Column[]): Html | undefined {
  const links = columns.flatMap(({ title, sort }) => {
    if (sort === undefined) return [];
    const current = sort.order && html` aria-current="true"`;
    return html`<li><a href="${sort.path}"${current}>${title}${arrowOf(sort)}</a></li>`;
  });
  if (links.length === 0) return undefined;
  return html`<nav class="sorts" aria-label="Sort by"><span class="quiet">Sort by</span><ul class="choices">${links}</ul></nav>`;
}

const arrowOf = ({ order }: SortLink): string => (order === undefined ? "" : order === "asc" ? " ↑" : " ↓");

const NUMBER = html` class="number"`;

function headCell({ title, isNumber, sort }: Column): Html {
  if (sort === undefined) return html`<th scope="col"${isNumber && NUMBER}>${title}</th>`;
  const { order, path } = sort;
  const sorted = order && html` aria-sort="${order === "asc" ? "ascending" : "descending"}"`;
  return html`<th scope="col"${isNumber && NUMBER}${sorted}><a href="${path}">${title}${arrowOf(sort)}</a></th>`;
}

function cellAttributes({ title, isNumber, card }: Column, isFirst: boolean): Html {
  const classes = [isNumber && "number", card === "end" && "card-end", card === "none" && "card-none"]
    .filter(Boolean)
    .join(" ");
  const label = !isFirst && card === undefined && html` data-label="${title}"`;
  return html`${classes !== "" && html` class="${classes}"`}${label}`;
}

/** Pager with links, a number field and arrow keys. */
export function pager(
  { page, pageSize, total }: PageInfo,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Html {
  const last = Math.max(Math.ceil(total / pageSize), 1);
  // The list says by itself that it has nothing.
  if (total === 0 && page === 1) return html``;
  if (total <= pageSize && page === 1) return html`<p class="pager"><span>${count(total)} in all</span></p>`;
  const to = (number: number) => `${path}?${new URLSearchParams({ ...query, page: String(number) })}`;
  const link = (number: number, text: string, rel: string, isThere: boolean) =>
    isThere && html`<a href="${to(number)}" rel="${rel}">${text}</a>`;
  if (page > last) {
    return html`<nav class="pager" aria-label="Pages"><span>There is no page ${count(page)}: the last one is <a href="${to(last)}" rel="last">page ${count(last)}</a>.</span></nav>`;
  }
  const from = Math.min((page - 1) * pageSize + 1, total);
  const hidden = Object.entries(query).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<nav class="pager" aria-label="Pages">
<span>${count(from)} to ${count(Math.min(page * pageSize, total))} of <data value="${total}" data-total>${count(total)}</data></span>
${link(1, "First", "first", page > 1)}
${link(Math.min(page - 1, last), "Previous", "prev", page > 1)}
<form action="${path}" method="get">${hidden}<label>Page <input name="page" type="number" min="1" max="${last}" value="${page}" required></label> of ${count(last)}</form>
${link(page + 1, "Next", "next", page < last)}
${link(last, "Last", "last", page < last)}
</nav>`;
}

/** Definition list; skips undefined rows. */
export function facts(rows: readonly (readonly [name: string, content: Content] | undefined | false)[]): Html {
  const known = rows.filter((row) => row && row[1] !== undefined) as (readonly [string, Content])[];
  if (known.length === 0) return html``;
  return html`<dl class="facts">${known.map(([name, content]) => html`<div><dt>${name}</dt><dd>${content}</dd></div>\n`)}</dl>`;
}

interface Tab {
  readonly name: string;
  readonly title: string;
  /** Shown if known. */
  readonly count?: number | null | undefined;
  /** If it is a page of its own. */
  readonly path?: string;
}

export function tabs(all: readonly Tab[], current: string, path: string): Html {
  return html`<nav class="tabs" aria-label="Views"><ul>${all.map(
    ({ name, title, count: number, path: own }, at) =>
      html`<li><a href="${own ?? (at === 0 ? path : `${path}?tab=${name}`)}"${name === current && CURRENT}>${title}${typeof number === "number" && html` <data class="count" value="${number}">${count(number)}</data>`}</a></li>`,
  )}</ul></nav>`;
}

const CURRENT = html` aria-current="page"`;

export function section(title: string, body: Content, aside?: Content): Html {
  return html`<section class="panel"><header><h2>${title}</h2>${aside}</header>${body}</section>`;
}
