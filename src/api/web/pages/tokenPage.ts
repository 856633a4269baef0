import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { formatFraction, formatPrice, MAX_PRICED_DECIMALS, unitsOf } from "../../../exchange/decimal.ts";
import { SCALE } from "../../../exchange/prices.ts";
import { listTokenPrices } from "../../../query/exchange/priceHistory.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import { readRates } from "../../../query/exchange/rates.ts";
import { readTokenMarket } from "../../../query/pools/tokenMarket.ts";
import { RANGES } from "../../../query/timeline.ts";
import { findCopies } from "../../../query/tokens/copies.ts";
import { findToken, kindOf, readTokenCounters, supplyOf } from "../../../query/tokens/token.ts";
import type { KnownToken } from "../../../store/stages/tokens/read/tokenReads.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest } from "../context.ts";
import { expectFound } from "../found.ts";
import type { WebPage } from "../page.ts";
import { parseAddress, parseChoice } from "../params.ts";
import { amount, figure, named, safeText } from "../parts/format.ts";
import { COPY_MARK, fullAddress } from "../parts/links.ts";
import { changeText, priceAmount, shortDollars, worth } from "../parts/money.ts";
import { rangeLinks } from "../parts/rangeLinks.ts";
import { counted } from "../parts/rows.ts";
import { facts, section, tabs } from "../parts/table.ts";
import { tiles } from "../parts/tiles.ts";
import { timeChart } from "../parts/timeChart.ts";
import { TOKEN_TABS } from "./tokenTabs.ts";

const TABS = ["transfers", "holders", "items", "pools"] as const;
const JSON_PATHS = { transfers: "/transfers", holders: "/holders", items: "/instances", pools: "" } as const;

export async function serveToken(context: WebContext, { parameter, query }: WebRequest): Promise<WebPage> {
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
    TOKEN_TABS[tab](context, token, query, path),
    readRates(network),
    findCopies(network, [token]),
    tab === TABS[0] ? priceChart(context, token, query, path) : undefined,
  ]);
  const isCopy = copies.has(token);
  const pool = network.names.of(address);
  const isPool = pool?.kind === "pool";
  const body = html`<h1>${named(isPool ? `${pool.text} LP` : token.seen?.name.text || "Token")} <span class="quiet">${named(token.seen?.symbol.text ?? "", 20)}</span>${(isCopy || pool?.hasCopy) && COPY_MARK}</h1>
${await figuresOf(context, token, counters, rates)}
${facts([
  ["Contract", html`${fullAddress(address)} <span class="links">${contractLinks(text)}</span>`],
  isPool && ["Pool", html`<a href="/pools/${text}">${named(pool.text)}</a>`],
  [
    "Standard",
    html`${kindOf(token)}${token.seen && token.seen.decimals !== null && html` <span class="quiet">${token.seen.decimals} decimals</span>`}`,
  ],
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
  html`<a href="/address/${text}?tab=contract">Code</a> · <a href="/address/${text}?tab=read">Read</a> · <a href="/address/${text}?tab=write">Write</a>`;

const NOTES: Readonly<Record<string, string>> = {
  ledger_differs: "balances differ from what its transfers add up to",
};

async function figuresOf(
  { network }: WebContext,
  token: KnownToken,
  counters: { readonly holders: number; readonly transfers: number },
  rates: Rates,
): Promise<Html> {
  const decimals = token.seen?.decimals ?? null;
  const [price, supply] = [rates.of(token.address, decimals), supplyOf(token)];
  const market = rates.coin === undefined ? undefined : await readTokenMarket(network, toHex(token.address));
  const trades = market && counted(market.transactions, "transaction");
  return tiles([
    price !== undefined && {
      title: "Price",
      value: priceAmount(price),
      note: changeText(rates.changeOf(token.address)),
    },
    price !== undefined &&
      supply !== null && {
        title: "Market cap",
        value: shortDollars(worth(supply, decimals ?? 0, price)),
        note: "of the whole supply",
      },
    market !== undefined && {
      title: "Volume 24 h",
      value: shortDollars(Number(formatFraction(market.traded, SCALE, 8))),
      note: html`${trades} in <a href="?tab=pools">${counted(market.pools, "pool")}</a>`,
    },
    { title: "Supply", value: supply === null ? "–" : amount(supply, { decimals }) },
    { title: "Holders", value: figure(counters.holders) },
    { title: "Transfers", value: figure(counters.transfers) },
  ]);
}

/** Price chart; undefined without prices. */
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
