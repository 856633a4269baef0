import type { CacheScope } from "../../query/cacheScope.ts";
import type { Html } from "../html.ts";
import { html } from "../html.ts";
import type { OtherNetwork } from "../settings.ts";
import type { Assets } from "./assets.ts";
import { csvPathOf } from "./parts/links.ts";

export interface WebPage {
  readonly title: string;
  readonly body: Html;
  /** Path of the same data in the REST API. */
  readonly json?: string | undefined;
  /** Whether the REST API offers it as CSV. */
  readonly isList?: boolean;
  /** Path of the list as CSV, where the REST API has none. */
  readonly csv?: string | undefined;
  /** Whether the browser polls for a newer version. */
  readonly isLive?: boolean;
  /** Newest block shared by index and node while they are on different branches. */
  readonly forkedAt?: number | undefined;
  /** 200 unless the form of the page cannot be read. */
  readonly status?: 422;
  /** Undefined if not cacheable. */
  readonly scope?: CacheScope | undefined;
  /** Of the request, for the menu. */
  readonly path?: string;
  /** Search query. */
  readonly asked?: string;
  /** Its own style sheet, besides that of every page. */
  readonly style?: string;
}

export interface Redirect {
  readonly location: string;
}

/** Network data in the frame of every page. */
export interface Site {
  readonly chainName: string;
  readonly chainId: number;
  readonly coin: string;
  readonly version: string;
  /** Whether the chain's assets are worthless. */
  readonly isTestnet: boolean;
  readonly others: readonly OtherNetwork[];
  readonly hasVerifier: boolean;
  readonly hasRpc: boolean;
}

const SECTIONS = [
  ["/blocks", "Blocks"],
  ["/txs", "Transactions"],
  ["/tokens", "Tokens"],
  ["/pools", "Pools"],
  ["/charts", "Charts"],
  ["/developers", "Developers"],
] as const;

/** A complete document that works without scripts. */
export function renderPage(
  { title, body, json, csv, isList = false, isLive = false, forkedAt, path = "", asked = "", style }: WebPage,
  site: Site,
  assets: Assets,
): string {
  const { chainName, chainId } = site;
  return `<!doctype html>${
    html`<html lang="en"${isLive && LIVE}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${`${title}: ${chainName}, chain ${chainId}`}">
<meta property="og:title" content="${title}">
<meta property="og:site_name" content="${chainName}">
<meta property="og:type" content="website">
<meta property="og:description" content="${`${title}: ${chainName}, chain ${chainId}`}">
<title>${title} · ${chainName}</title>
<link rel="icon" href="${assets.url("icon.svg")}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.url("style.css")}">${style !== undefined && html`<link rel="stylesheet" href="${assets.url(style)}">`}
<script src="${assets.url("theme.ts")}"></script>
<script type="module" src="${assets.url("main.ts")}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
${renderHeader(site, path, asked)}
<main id="main">
${forkedAt !== undefined && renderFork(forkedAt)}
${body}
</main>
${renderFooter(site, json, csv ?? (isList && json !== undefined ? csvPathOf(json) : undefined))}
</body>
</html>
`.text
  }`;
}

const LIVE = html` data-live`;

/** Paths of records belong to the section of their list. */
const RECORDS: Readonly<Record<string, string>> = {
  block: "/blocks",
  blob: "/blocks",
  tx: "/txs",
  "token-transfers": "/txs",
  "internal-txs": "/txs",
  "advanced-filter": "/txs",
  address: "/txs",
  token: "/tokens",
  gas: "/charts",
  docs: "/developers",
  verify: "/developers",
};

function sectionOf(path: string): string {
  const [, first = ""] = path.split(/[/?]/);
  return RECORDS[first] ?? `/${first}`;
}

function renderHeader(site: Site, path: string, asked: string): Html {
  const current = sectionOf(path);
  return html`<header class="top">
<div class="bar">
<a class="brand" href="/"><svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path d="M4 21V9l4-5h8l4 5v12zM4 12h16M9 4v17M15 4v17" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round"/></svg><span>${site.chainName}</span></a>
<input type="checkbox" id="menu" class="hidden" aria-label="Menu"><label class="menu" for="menu"><span aria-hidden="true">☰</span><span class="hidden">Menu</span></label>
<nav aria-label="Sections"><ul>${SECTIONS.map(([to, name]) => html`<li><a href="${to}"${to === current && html` aria-current="page"`}>${name}</a></li>`)}</ul></nav>
${renderNetworks(site)}
<button type="button" class="theme script" data-theme-switch aria-label="Switch between light and dark"><svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><path d="M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z" fill="currentColor"/></svg></button>
</div>
<form class="search" role="search" action="/search" method="get">
<label class="hidden" for="search-input">Search</label>
<input id="search-input" name="q" type="search" autocomplete="off" spellcheck="false" maxlength="200" value="${asked}" placeholder="Address, hash, block, token or contract" aria-describedby="search-key">
<kbd id="search-key" class="script" title="Press / to search">/</kbd>
<button type="submit">Search</button>
<ul id="suggestions" class="suggestions" role="listbox" aria-label="Suggestions" hidden></ul>
</form>
${site.isTestnet && TESTNET_NOTE}
</header>`;
}

/** Blocks above the fork are not on the node's branch. */
function renderFork(block: number): Html {
  const since = block < 0 ? "no block is the same" : html`blocks above ${String(block)} are not those of the node`;
  return html`<p class="note-bar" role="status">The node has left the branch that is indexed: ${since}. See <a href="/index-status">status</a>.</p>`;
}

const TESTNET_NOTE = html`<p class="note-bar">This is a test network: coins, tokens and prices have no value.</p>`;

function renderNetworks({ chainName, chainId, others }: Site): Html | undefined {
  if (others.length === 0) return undefined;
  return html`<details class="networks"><summary>${chainName} <span class="quiet">${chainId}</span></summary>
<ul>${others.map((other) => html`<li><a href="/network/${other.name}">${other.title}</a></li>`)}</ul></details>`;
}

function renderFooter({ version, chainId }: Site, json: string | undefined, csv: string | undefined): Html {
  return html`<footer>
${(json ?? csv) !== undefined && html`<p>${json !== undefined && html`<a href="${json}" data-json>This page as JSON</a>`}${json !== undefined && csv !== undefined && " · "}${csv !== undefined && html`<a href="${csv}" download>This list as CSV</a>`}</p>`}
<p><a href="/docs">Documents</a> · <a href="/docs/api">API</a> · <a href="/gas">Gas</a> · <a href="/accounts">Accounts</a> · <a href="/verified-contracts">Verified contracts</a> · <a href="/verify">Verify a contract</a> · <a href="/index-status">Status</a> · Oriel ${version} · chain ${chainId}</p>
</footer>`;
}
