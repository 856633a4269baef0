import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { fromHex, toHex } from "../../../chain/encoding/hex.ts";
import type { KnownMethod } from "../../../query/advanced/knownMethods.ts";
import { listMethods } from "../../../query/advanced/knownMethods.ts";
import type { PrefixMatches } from "../../../query/findByPrefix.ts";
import { findByPrefix, NEWEST, readPrefix } from "../../../query/findByPrefix.ts";
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
import { count, figure, named, safeText } from "../parts/format.ts";
import type { Names } from "../parts/links.ts";
import { addressLink, blockLink, COPY_MARK, shorten, tokenLink, transactionLink } from "../parts/links.ts";
import { counted } from "../parts/rows.ts";
import type { Column } from "../parts/table.ts";
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
      body: html`<h1>Search</h1><p class="none">Type an address, a hash, a block number, the name of a token, a verified contract, a method or a label, the pair of a pool, or the beginning of a hash or an address.</p>`,
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
  const prefix = readPrefix(asked);
  const isFirst = page.info.page === 1;
  const [begins, methods] = isFirst
    ? await Promise.all([
        prefix === undefined ? undefined : findByPrefix(network, prefix),
        asText.text === undefined || prefix !== undefined ? [] : methodsLike(network, asText.text),
      ])
    : [undefined, []];
  const first = [
    ...(isFirst ? called.map(namedRow) : []),
    ...(begins === undefined ? [] : prefixRows(begins, network.names)),
  ];
  const rows = [
    ...first,
    ...page.results.map((result) => rowOf(result, page, network.names)),
    ...methods.map(methodRow),
  ];
  const scope =
    prefix !== undefined &&
    html`<p class="quiet">The beginning of a hash is looked up among the newest ${count(NEWEST)} transactions, that of an address among their parties, labels and pools. Whole ones are found anywhere.</p>`;
  const total = page.info.total + first.length + methods.length;
  // Other matches are on the first page, and the sentence above counts them all.
  const isOnePage = isFirst && page.info.total <= page.info.pageSize;
  const body = html`<h1>Search</h1>
<p>${figure(total)} ${total === 1 ? "result" : "results"} for ${named(asked, 100)}</p>${scope}
${table(RESULT_COLUMNS, rows, "Nothing has this name, number or hash.")}
${!isOnePage && pager(page.info, "/search", { q: asked })}`;
  const json = `/api/v2/search?${new URLSearchParams({ q: asked })}`;
  return { title: "Search", body, json, asked: asked.slice(0, 200) };
}

const RESULT_COLUMNS: Column[] = [
  { title: "Found" },
  { title: "Kind", card: "end" },
  { title: "About", card: "plain" },
];

const MAX_METHODS = 10;

async function methodsLike(network: WebContext["network"], text: string): Promise<readonly KnownMethod[]> {
  if (text.length < 3) return [];
  const { methods } = await listMethods(network, text, { page: 1, pageSize: MAX_METHODS, cursor: undefined });
  return methods.filter(({ name }) => name !== null);
}

function methodRow({ name, selector }: KnownMethod): Content[] {
  return [
    html`<a href="/txs?method=${selector}"><code>${safeText(name ?? "", 60)}</code></a>`,
    "Method",
    html`<code>${selector}</code> transactions that call it`,
  ];
}

function prefixRows({ transactions, blocks, addresses }: PrefixMatches, names: Names): Content[][] {
  return [
    ...addresses.map((address) => [
      addressLink(address, NO_INFOS, names),
      "Address",
      html`<code>${checksumAddress(address)}</code>`,
    ]),
    ...transactions.map(({ hash, block }) => [
      transactionLink(hash),
      "Transaction",
      html`in block ${blockLink(block)}`,
    ]),
    ...blocks.map(({ hash, number }) => [blockLink(number), "Block", html`<code>${shorten(toHex(hash))}</code>`]),
  ];
}

const NO_INFOS: SearchPage["addresses"] = new Map();

function pathOfNamed(result: NamedResult): string {
  const address = checksumAddress(fromHex(result.kind === "pool" ? result.pool.address : result.address));
  return `/${result.kind === "pool" ? "pools" : "address"}/${address}`;
}

function namedRow(result: NamedResult): Content[] {
  const path = pathOfNamed(result);
  const address = html`<code>${shorten(path.slice(path.lastIndexOf("/") + 1))}</code>`;
  if (result.kind === "label") return [html`<a href="${path}">${named(result.text)}</a>`, "Label", address];
  const { symbols, fee, exchange, hasCopy } = result.pool;
  const about = html`${exchange && html`${named(exchange)} `}${address}`;
  return [
    html`<a href="${path}">${named(`${symbols[0]}/${symbols[1]}`)} ${fee / 10_000}%</a>${hasCopy && COPY_MARK}`,
    "Pool",
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

function rowOf(result: SearchResult, { addresses }: SearchPage, names: Names): Content[] {
  if (result.kind === "block") return [blockLink(result.header.number), "Block", ""];
  if (result.kind === "transaction") {
    const { header } = result;
    return [
      transactionLink(result.hash),
      "Transaction",
      header === undefined ? "pending" : html`in block ${blockLink(header.number)}`,
    ];
  }
  if (result.kind === "blob") {
    const name = toHex(result.versionedHash);
    return [html`<a href="/blob/${name}"><code>${shorten(name)}</code></a>`, "Blob", ""];
  }
  if (result.kind === "address") return [addressLink(result.address, addresses), "Address", ""];
  if (result.kind === "contract") {
    const name = checksumAddress(result.address);
    return [
      html`<a href="/address/${name}">${named(names.of(result.address)?.text ?? result.name)}</a>`,
      "Contract",
      html`${named(result.name)}, verified <code>${shorten(name)}</code>`,
    ];
  }
  const { token, maxHolders } = result;
  // Shares of pairs all have the symbol of their exchange.
  const isCopy = names.of(token.address)?.kind !== "pool" && token.state.holders < maxHolders;
  return [
    html`${tokenLink(token, names)}${isCopy && COPY_MARK}`,
    "Token",
    html`${named(token.seen?.name.text ?? "")} ${kindOf(token)}, ${counted(token.state.holders, "holder")} <code>${shorten(checksumAddress(token.address))}</code>`,
  ];
}
