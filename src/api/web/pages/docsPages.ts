import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import { COSTS } from "../../http/rateLimit.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import { DOCS_PATH } from "../docs/documentLinks.ts";
import type { Document, Documents } from "../docs/documents.ts";
import { loadDocuments } from "../docs/documents.ts";
import type { DocumentResult } from "../docs/searchDocuments.ts";
import { searchDocuments, wordsOf } from "../docs/searchDocuments.ts";
import { expectFound } from "../found.ts";
import type { Redirect, WebPage } from "../page.ts";
import { ParameterError } from "../params.ts";
import { textOf } from "../parts/callInput.ts";
import { count } from "../parts/format.ts";

export const REFERENCE_PATH = `${DOCS_PATH}/api`;
const SEARCH_PATH = `${DOCS_PATH}/search`;

export const DOCS_PAGES: readonly WebRoute[] = [
  { path: DOCS_PATH, serve: () => documentPage(DOCS_PATH) },
  { path: SEARCH_PATH, serve: serveSearch },
  { path: `${DOCS_PATH}/:name`, cost: COSTS.record, serve: serveDocument },
  { path: `${DOCS_PATH}/:folder/:name`, cost: COSTS.record, serve: serveDocument },
];

const MAX_QUERY_LENGTH = 200;
const MAX_SHOWN = 50;

/** Files are found under their names in docs/ as well. */
async function serveDocument(_: WebContext, { parameter, second }: WebRequest): Promise<WebPage | Redirect> {
  const path = [DOCS_PATH, parameter, ...(second === undefined ? [] : [second])].join("/");
  const page = path.replace(/(\/README)?\.md$/, "");
  if (page === path) return documentPage(path);
  return { location: expectFound((await loadDocuments()).find(page)).path };
}

async function documentPage(path: string): Promise<WebPage> {
  const documents = await loadDocuments();
  const document = expectFound(documents.find(path));
  const isIndex = path === DOCS_PATH;
  const note =
    isIndex &&
    html`<p class="notice"><a href="${REFERENCE_PATH}">API reference</a> of this network: all paths, parameters and fields, also as <a href="/openapi.json">OpenAPI</a>.</p>`;
  return inFrame(
    documents,
    document.title,
    html`${note}<article class="document">${document.body()}</article>`,
    document,
  );
}

async function serveSearch(_: WebContext, { query }: WebRequest): Promise<WebPage> {
  const asked = textOf(query, "q").trim();
  if (asked.length > MAX_QUERY_LENGTH)
    throw new ParameterError(`A search has at most ${count(MAX_QUERY_LENGTH)} characters.`);
  const documents = await loadDocuments();
  const words = wordsOf(asked);
  const results = searchDocuments(documents, words);
  const body = html`<h1>Search the documents</h1>${words.length > 0 && resultList(results, words)}`;
  return inFrame(documents, "Search the documents", body, undefined, asked);
}

function resultList(results: readonly DocumentResult[], words: readonly string[]): Html {
  if (results.length === 0) return html`<p class="none">No section has all of these words.</p>`;
  const shown = results.slice(0, MAX_SHOWN).map(({ document, section, excerpt }) => {
    const path = section.anchor === "" ? document.path : `${document.path}#${section.anchor}`;
    const title =
      section.level === 1 ? undefined : html`${marked(section.title, words)} <span class="quiet">in</span> `;
    return html`<li><p><a href="${path}">${title}${section.level === 1 ? marked(document.title, words) : document.title}</a></p>
<p class="under">${marked(excerpt, words)}</p></li>\n`;
  });
  const all = results.length > MAX_SHOWN && html`, the first ${MAX_SHOWN} of which are shown`;
  return html`<p>${results.length === 1 ? "1 section" : html`${count(results.length)} sections`}${all}</p><ol class="found">${shown}</ol>`;
}

/** The words of a search stand out. */
function marked(text: string, words: readonly string[]): Content {
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const parts = text.split(new RegExp(`(${escaped.join("|")})`, "i"));
  return parts.map((part, at) => (at % 2 === 0 ? part : html`<mark>${part}</mark>`));
}

/** Contents stand beside the text, and are folded on narrow screens. */
function inFrame(documents: Documents, title: string, body: Html, current?: Document, asked = ""): WebPage {
  const framed = html`<div class="docs">
<div class="contents">
<form class="filter" role="search" aria-label="Documents" action="${SEARCH_PATH}" method="get"><input name="q" type="search" maxlength="${MAX_QUERY_LENGTH}" value="${asked}" placeholder="Find words" aria-label="Search the documents" autocomplete="off"><button type="submit">Find</button></form>
<input type="checkbox" id="contents-menu" class="hidden" aria-label="Contents"><label for="contents-menu" class="unfold">Contents <span aria-hidden="true">▾</span></label>
${contents(documents, current)}
</div>
<div class="text">
${body}
</div>
</div>`;
  return { title, body: framed, style: "docs.css" };
}

function contents({ groups }: Documents, current: Document | undefined): Html {
  const link = (path: string, title: string) =>
    html`<a href="${path}"${path === current?.path && html` aria-current="page"`}>${title}</a>`;
  const listed = groups.map(
    ({ title, entries }) =>
      html`<h2>${title}</h2><ul>${entries.map((entry) => html`<li>${link(entry.path, entry.title)}${entry.path === current?.path && headings(current)}</li>\n`)}</ul>\n`,
  );
  return html`<nav aria-label="Documents"><ul><li>${link(DOCS_PATH, "All documents")}</li><li>${link(REFERENCE_PATH, "API reference")}</li></ul>
${listed}</nav>`;
}

function headings({ sections }: Document): Html | undefined {
  const own = sections.filter(({ level }) => level === 2);
  if (own.length < 2) return undefined;
  return html`<ul>${own.map(({ title, anchor }) => html`<li><a href="#${anchor}">${title}</a></li>\n`)}</ul>`;
}
