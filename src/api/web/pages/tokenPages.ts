import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { formatPrice, MAX_PRICED_DECIMALS, unitsOf } from "../../../exchange/decimal.ts";
import { SCALE } from "../../../exchange/prices.ts";
import { listTokenPrices } from "../../../query/exchange/priceHistory.ts";
import { readRates } from "../../../query/exchange/rates.ts";
import { listPools } from "../../../query/pools/poolPages.ts";
import { readSearchQuery } from "../../../query/searchQuery.ts";
import { RANGES } from "../../../query/timeline.ts";
import { findCopies } from "../../../query/tokens/copies.ts";
import { listHoldersById } from "../../../query/tokens/itemHolders.ts";
import { listItems } from "../../../query/tokens/items.ts";
import { findToken, kindOf, readTokenCounters, supplyOf } from "../../../query/tokens/token.ts";
import { listTokens, TOKEN_KINDS } from "../../../query/tokens/tokenList.ts";
import { listTokenTransfers } from "../../../query/tokens/transfers.ts";
import type { KnownToken } from "../../../store/stages/tokens/read/tokenReads.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import { expectFound } from "../found.ts";
import type { WebPage } from "../page.ts";
import { ParameterError, parseAddress, parseChoice, parsePage } from "../params.ts";
import { barChart } from "../parts/chart.ts";
import { amount, figure, named, percent, safeText } from "../parts/format.ts";
import { addressLink, COPY_MARK, fullAddress, itemLink, shorten, tokenLink } from "../parts/links.ts";
import { poolTable } from "../parts/poolTable.ts";
import { rangeLinks } from "../parts/rangeLinks.ts";
import { transferTable } from "../parts/rows.ts";
import { facts, pager, section, table, tabs } from "../parts/table.ts";
import { timeChart } from "../parts/timeChart.ts";

export const TOKEN_PAGES: readonly WebRoute[] = [
  { path: "/tokens", serve: serveTokens },
  { path: "/token/:address", serve: serveToken },
];

async function serveTokens({ network }: WebContext, { query }: WebRequest): Promise<WebPage> {
  const asked = typeof query.q === "string" ? query.q : "";
  const filter = {
    kinds: TOKEN_KINDS,
    sort: "holders_count" as const,
    order: "desc" as const,
    query: asked === "" ? undefined : readSearchQuery(asked),
  };
  const page = await listTokens(network, filter, parsePage(query));
  if (page === undefined) throw new ParameterError("This page is too far from both ends of the list; search by name.");
  const { tokens, info } = page;
  const copies = await findCopies(network, tokens);
  const columns = [
    "Token",
    "Name",
    "Standard",
    "Address",
    { title: "Holders", isNumber: true },
    { title: "Supply", isNumber: true },
  ];
  const rows = tokens.map((token) => [
    html`${tokenLink(token, network.names)}${copies.has(token) && COPY_MARK}`,
    named(token.seen?.name.text ?? ""),
    kindOf(token),
    html`<code>${shorten(checksumAddress(token.address))}</code>`,
    figure(token.state.holders),
    supplyText(token),
  ]);
  const body = html`<h1>Tokens</h1>
<form class="filter" action="/tokens" method="get"><label>Name or symbol <input name="q" value="${asked}" maxlength="200"></label> <button type="submit">Find</button></form>
${table(columns, rows, "There are no such tokens.")}
${pager(info, "/tokens", asked === "" ? {} : { q: asked })}`;
  return { title: "Tokens", body, json: "/api/v2/tokens", isList: true, scope: "index" };
}

function supplyText(token: KnownToken): Html | string {
  const supply = supplyOf(token);
  return supply === null ? "–" : amount(supply, { decimals: token.seen?.decimals ?? null });
}

const TABS = ["transfers", "holders", "items", "pools"] as const;
const VIEWS = { transfers, holders, items, pools };
const JSON_PATHS = { transfers: "/transfers", holders: "/holders", items: "/instances", pools: "" } as const;

async function serveToken(context: WebContext, { parameter, query }: WebRequest): Promise<WebPage> {
  const { network } = context;
  const address = parseAddress(parameter);
  const tab = parseChoice(query, "tab", TABS);
  const [found, counted] = await Promise.all([findToken(network, address), readTokenCounters(network, address)]);
  const [token, counters] = [expectFound(found), expectFound(counted)];
  const text = checksumAddress(address);
  const path = `/token/${text}`;
  const all = [
    { name: "transfers", title: "Transfers", count: counters.transfers },
    { name: "holders", title: "Holders", count: counters.holders },
    ...(kindOf(token) === "ERC-20" ? [{ name: "pools", title: "Pools" }] : [{ name: "items", title: "Inventory" }]),
  ];
  const [shown, rates, copies, chart] = await Promise.all([
    VIEWS[tab](context, token, query, path),
    readRates(network),
    findCopies(network, [token]),
    priceChart(context, token, query, tab === TABS[0] ? path : `${path}?tab=${tab}`),
  ]);
  const isCopy = copies.has(token);
  const pool = network.names.of(address);
  const isPool = pool?.kind === "pool";
  const body = html`<h1>${named(isPool ? `${pool.text} LP` : token.seen?.name.text || "Token")} <span class="quiet">${named(token.seen?.symbol.text ?? "", 20)}</span>${(isCopy || pool?.hasCopy) && COPY_MARK}</h1>
${facts([
  ["Contract", html`${fullAddress(address)} <span class="links">${contractLinks(text)}</span>`],
  isPool && ["Pool", html`<a href="/pools/${text}">${named(pool.text)}</a>`],
  ["Standard", kindOf(token)],
  ["Supply", supplyText(token)],
  ["Holders", figure(counters.holders)],
  ["Transfers", figure(counters.transfers)],
  token.seen?.decimals !== null && token.seen !== undefined && ["Decimals", token.seen.decimals],
  priceOf(rates.of(address, token.seen?.decimals ?? null)),
  token.labels.length > 0 && [
    "Notes",
    token.labels.map((label) => html`<span class="tag warning">${NOTES[label] ?? label}</span> `),
  ],
])}
${chart}${tabs(all, tab, path)}${shown}`;
  const title = `${safeText(token.seen?.symbol.text || "Token", 20)} token`;
  return {
    title,
    body,
    json: `/api/v2/tokens/${text}${JSON_PATHS[tab]}`,
    isList: true,
    scope: tab === "transfers" ? "index" : undefined,
  };
}

const contractLinks = (text: string): Html =>
  html`<a href="/address/${text}?tab=contract">Code</a> <a href="/address/${text}?tab=read">Read</a> <a href="/address/${text}?tab=write">Write</a>`;

const NOTES: Readonly<Record<string, string>> = {
  ledger_differs: "balances differ from what its transfers add up to",
};

function priceOf(usd: string | null | undefined) {
  return usd ? (["Price", html`$${usd}`] as const) : undefined;
}

/** Where the token has a price. */
async function priceChart({ network }: WebContext, token: KnownToken, query: WebRequest["query"], path: string) {
  const range = parseChoice(query, "range", RANGES);
  const decimals = token.seen?.decimals ?? 0;
  if (decimals > MAX_PRICED_DECIMALS) return undefined;
  const history = await listTokenPrices(network.exchange, toHex(token.address), range);
  if (history === undefined) return undefined;
  const points = history.points.map(({ start, price }) => {
    const exact = formatPrice((price ?? 0n) * unitsOf(decimals), SCALE);
    return { start, value: price === undefined ? undefined : Number(exact), text: `$${exact}`, exact };
  });
  const chart = timeChart({ title: "Price", kind: "line", step: history.step, points, unit: "$" });
  return section("Price", chart, rangeLinks(path, range, RANGES[0]));
}

async function transfers({ network }: WebContext, { address }: KnownToken, query: WebRequest["query"], path: string) {
  const page = expectFound(await listTokenTransfers(network, address, parsePage(query)));
  return html`${transferTable(page.transfers, page.addresses, { names: network.names })}${pager(page.info, path)}`;
}

async function pools({ network }: WebContext, { address }: KnownToken, query: WebRequest["query"], path: string) {
  const request = parsePage<never>(query);
  const filter = { filter: "all", exchanges: "all", user: undefined, tokens: [toHex(address)] } as const;
  const { pools: found, total } = await listPools(network, { ...request, ...filter });
  const info = { ...request, total, next: null, block: null, since: null };
  return html`${poolTable(found, "No pool has it.")}${pager(info, path, { tab: "pools" })}`;
}

const DRAWN = 20;

async function holders({ network }: WebContext, token: KnownToken, query: WebRequest["query"], path: string) {
  const {
    holders: found,
    addresses,
    info,
  } = expectFound(await listHoldersById(network, token.address, parsePage(query)));
  const [supply, decimals] = [supplyOf(token) ?? 0n, token.seen?.decimals ?? null];
  const first = (info.page - 1) * info.pageSize + 1;
  const rows = found.map(({ holder, tokenId, amount: value }, at) => [
    first + at,
    html`${addressLink(holder, addresses)}${tokenId && html` ${itemLink(token.address, tokenId)}`}`,
    amount(value, { decimals }),
    percent(value, supply),
  ]);
  const columns = ["Rank", "Holder", { title: "Balance", isNumber: true }, { title: "Share", isNumber: true }];
  const chart =
    info.page === 1 &&
    found.length > 1 &&
    supply > 0n &&
    concentration(
      found.slice(0, DRAWN).map(({ amount: value }) => value),
      supply,
    );
  return html`${chart}${table(columns, rows, "Nobody holds it.")}${pager(info, path, { tab: "holders" })}`;
}

async function items({ network }: WebContext, token: KnownToken, query: WebRequest["query"], path: string) {
  const {
    items: found,
    addresses,
    info,
  } = expectFound(await listItems(network, token.address, undefined, parsePage(query)));
  const rows = found.map(({ tokenId, owner, isUnique }) => [
    itemLink(token.address, tokenId),
    owner === undefined ? (isUnique ? "nobody" : "several") : addressLink(owner, addresses),
  ]);
  return html`${table(["Item", "Owner"], rows, "It has no items.")}${pager(info, path, { tab: "items" })}`;
}

function concentration(amounts: readonly bigint[], supply: bigint): Html {
  const points = amounts.map((value, at) => ({
    label: `rank ${at + 1}`,
    value: Number((value * 10_000n) / supply),
    text: percent(value, supply),
  }));
  return section("Largest holders", barChart("Share of the largest holders", points));
}
