import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { fromHex, toHex } from "../../../chain/encoding/hex.ts";
import type { NamedResult } from "../../../query/names/findNamed.ts";
import { findNamed } from "../../../query/names/findNamed.ts";
import type { SearchPage, SearchResult } from "../../../query/search.ts";
import { search } from "../../../query/search.ts";
import { readSearchQuery } from "../../../query/searchQuery.ts";
import { kindOf } from "../../../query/tokens/token.ts";
import type { Content } from "../../html.ts";
import { html } from "../../html.ts";
import { COSTS } from "../../http/rateLimit.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import type { Redirect, WebPage } from "../page.ts";
import { ParameterError, parsePage } from "../params.ts";
import { count, figure, named } from "../parts/format.ts";
import { addressLink, blockLink, COPY_MARK, shorten, tokenLink, transactionLink } from "../parts/links.ts";
import { pager, table } from "../parts/table.ts";

export const SEARCH_PAGES: readonly WebRoute[] = [{ path: "/search", cost: COSTS.search, serve: serveSearch }];

const MAX_QUERY_LENGTH = 10_000;

async function serveSearch({ network }: WebContext, { query }: WebRequest): Promise<WebPage | Redirect> {
  const asked = typeof query.q === "string" ? query.q.trim() : "";
  if (asked.length > MAX_QUERY_LENGTH)
    throw new ParameterError(`A search has at most ${count(MAX_QUERY_LENGTH)} characters.`);
  if (asked === "") {
    return {
      title: "Search",
      body: html`<h1>Search</h1><p class="none">Type an address, a hash, a block number, the name of a token, a verified contract or a label, or the pair of a pool.</p>`,
    };
  }
  const asText = readSearchQuery(asked);
  const [page, called] = await Promise.all([
    search(network, asText, parsePage(query)),
    asText.text === undefined ? [] : findNamed(network.names, asText.text),
  ]);
  const [only] = page.results;
  if (only !== undefined && page.info.total === 1 && called.length === 0) return { location: pathOf(only) };
  const [onlyCalled] = called;
  if (onlyCalled !== undefined && called.length === 1 && only === undefined)
    return { location: pathOfNamed(onlyCalled) };
  const first = page.info.page === 1 ? called : [];
  const rows = [...first.map(namedRow), ...page.results.map((result) => rowOf(result, page))];
  const body = html`<h1>Search</h1>
<p>${figure(page.info.total + called.length)} results for ${named(asked, 100)}</p>
${table(["Kind", "Found", "About"], rows, "Nothing has this name, number or hash.")}
${pager(page.info, "/search", { q: asked })}`;
  const json = `/api/v2/search?${new URLSearchParams({ q: asked })}`;
  return { title: "Search", body, json, asked: asked.slice(0, 200) };
}

function pathOfNamed(result: NamedResult): string {
  const address = checksumAddress(fromHex(result.kind === "pool" ? result.pool.address : result.address));
  return `/${result.kind === "pool" ? "pools" : "address"}/${address}`;
}

function namedRow(result: NamedResult): Content[] {
  const path = pathOfNamed(result);
  const address = html`<code>${shorten(path.slice(path.lastIndexOf("/") + 1))}</code>`;
  if (result.kind === "label") return ["Label", html`<a href="${path}">${named(result.text)}</a>`, address];
  const { symbols, fee, exchange, hasCopy } = result.pool;
  const about = html`${exchange && html`${named(exchange)} `}${address}`;
  return [
    "Pool",
    html`<a href="${path}">${named(`${symbols[0]}/${symbols[1]}`)} ${fee / 10_000}%</a>${hasCopy && COPY_MARK}`,
    about,
  ];
}

/** Page of a search result. */
export function pathOf(result: SearchResult): string {
  if (result.kind === "block") return `/block/${result.header.number}`;
  if (result.kind === "transaction") return `/tx/${toHex(result.hash)}`;
  if (result.kind === "blob") return `/blob/${toHex(result.versionedHash)}`;
  if (result.kind === "token") return `/token/${checksumAddress(result.token.address)}`;
  return `/address/${checksumAddress(result.address)}`;
}

function rowOf(result: SearchResult, { addresses }: SearchPage): Content[] {
  if (result.kind === "block") return ["Block", blockLink(result.header.number), ""];
  if (result.kind === "transaction") {
    const { header } = result;
    return [
      "Transaction",
      transactionLink(result.hash),
      header === undefined ? "pending" : html`in block ${blockLink(header.number)}`,
    ];
  }
  if (result.kind === "blob") {
    const name = toHex(result.versionedHash);
    return ["Blob", html`<a href="/blob/${name}"><code>${shorten(name)}</code></a>`, ""];
  }
  if (result.kind === "address") return ["Address", addressLink(result.address, addresses), ""];
  if (result.kind === "contract") {
    const name = checksumAddress(result.address);
    return [
      "Contract",
      html`<a href="/address/${name}">${named(result.name)}</a>`,
      html`verified <code>${shorten(name)}</code>`,
    ];
  }
  const { token, maxHolders } = result;
  const isCopy = token.state.holders < maxHolders;
  return [
    "Token",
    html`${tokenLink(token)}${isCopy && COPY_MARK}`,
    html`${named(token.seen?.name.text ?? "")} ${kindOf(token)}, ${figure(token.state.holders)} holders <code>${shorten(checksumAddress(token.address))}</code>`,
  ];
}
