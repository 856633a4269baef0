import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
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
      body: html`<h1>Search</h1><p class="none">Type an address, a hash, a block number, or the name of a token or a verified contract.</p>`,
    };
  }
  const page = await search(network, readSearchQuery(asked), parsePage(query));
  const [only] = page.results;
  if (only !== undefined && page.info.total === 1) return { location: pathOf(only) };
  const rows = page.results.map((result) => rowOf(result, page));
  const body = html`<h1>Search</h1>
<p>${figure(page.info.total)} results for ${named(asked, 100)}</p>
${table(["Kind", "Found", "About"], rows, "Nothing has this name, number or hash.")}
${pager(page.info, "/search", { q: asked })}`;
  const json = `/api/v2/search?${new URLSearchParams({ q: asked })}`;
  return { title: "Search", body, json };
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
