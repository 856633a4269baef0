import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import type { Fraction } from "../../../exchange/decimal.ts";
import { formatFraction } from "../../../exchange/decimal.ts";
import { SCALE } from "../../../exchange/prices.ts";
import type { Interval } from "../../../query/exchange/candles.ts";
import { INTERVALS, listCandles } from "../../../query/exchange/candles.ts";
import { findPool } from "../../../query/exchange/poolDetail.ts";
import type { PoolRecord, PoolToken } from "../../../query/exchange/poolPages.ts";
import { listPools } from "../../../query/exchange/poolPages.ts";
import { inQuote } from "../../../query/exchange/quotePrice.ts";
import type { MinedSwap } from "../../../query/exchange/swaps.ts";
import { listSwaps } from "../../../query/exchange/swaps.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import { expectFound } from "../found.ts";
import type { Page } from "../page.ts";
import { parseAddress, parseChoice, parsePage } from "../params.ts";
import { candleChart } from "../parts/candleChart.ts";
import { barChart } from "../parts/chart.ts";
import { amount, figure, named, safeText, time } from "../parts/format.ts";
import { fullAddress, shorten, transactionLink } from "../parts/links.ts";
import { facts, pager, section, table } from "../parts/table.ts";

export const POOL_PAGES: readonly WebRoute[] = [
  { path: "/pools", serve: servePools },
  { path: "/pools/:address", serve: servePool },
];

const FILTERS = ["all", "v2", "v3"] as const;

async function servePools({ network }: WebContext, { query }: WebRequest): Promise<Page> {
  const filter = parseChoice(query, "type", FILTERS);
  const request = parsePage<never>(query);
  const { pools, total } = await listPools(network, { ...request, filter, user: undefined });
  const rows = pools.map((record): Content[] => {
    const { pool, figures } = record;
    return [
      html`<a href="/pools/${checksumAddress(pool.address)}">${pairName(record)}</a>`,
      html`${named(pool.dex)} <span class="tag">${pool.type}</span>`,
      feeText(pool.fee),
      dollars(figures.locked),
      dollars(figures.traded),
      change(figures.tradedChange),
      dollars(figures.fees),
      percentText(figures.apr),
      figure(figures.transactions),
    ];
  });
  const titles = ["Fee", "Value locked", "Volume 24 h", "Change", "Fees 24 h", "APR", "Transactions 24 h"];
  const columns = ["Pool", "Exchange", ...titles.map((title) => ({ title, isNumber: true }))];
  const info = { ...request, total, next: null, block: null, since: null };
  const links = FILTERS.map(
    (name) =>
      html`<li><a href="/pools${name === "all" ? "" : `?type=${name}`}"${name === filter && html` aria-current="page"`}>${name === "all" ? "All" : name}</a></li>`,
  );
  const body = html`<h1>Pools</h1>
<nav class="tabs" aria-label="Kinds"><ul>${links}</ul></nav>
${table(columns, rows, "There are no pools.")}${pager(info, "/pools", filter === "all" ? {} : { type: filter })}`;
  return { title: "Pools", body, json: `/api/v1/pools?pool_type=${filter}`, scope: "index" };
}

function symbolOf({ symbol, listed }: PoolToken): string {
  return symbol ? safeText(symbol, 20) : shorten(checksumAddress(listed.address));
}

function pairName({ token0, token1 }: PoolRecord): Html {
  return html`<bdi>${symbolOf(token0)}</bdi> / <bdi>${symbolOf(token1)}</bdi>`;
}

/** In hundredths of a basis point. */
function feeText(fee: number): string {
  return `${fee / 10_000}%`;
}

/** Of `SCALE`. What has no price is worth nothing that could be told. */
function dollars(value: bigint): Html {
  const exact = formatFraction(value, SCALE, 8);
  return html`<data value="${exact}">${value === 0n ? "–" : `$${Number(exact).toLocaleString("en", { maximumFractionDigits: 2 })}`}</data>`;
}

function percentText({ numerator, denominator }: Fraction): string {
  return `${Number(formatFraction(numerator * 100n, denominator, 2)).toLocaleString("en")}%`;
}

function change(fraction: Fraction): Html {
  const kind = fraction.numerator === 0n ? "quiet" : fraction.numerator > 0n ? "status ok" : "status failed";
  return html`<span class="${kind}">${fraction.numerator > 0n && "+"}${percentText(fraction)}</span>`;
}

const SPANS = ["1h", "1m", "5m", "15m", "4h", "1d"] as const satisfies readonly Interval[];

/** Intervals that a chart looks at, and swaps on a page. */
const CANDLES = 120;
const SWAPS = 25;

async function servePool({ network }: WebContext, { parameter, query }: WebRequest): Promise<Page> {
  const hex = toHex(parseAddress(parameter));
  const interval = parseChoice(query, "interval", SPANS);
  const request = parsePage<never>(query, SWAPS);
  const [detail, drawn, page] = await Promise.all([
    findPool(network, hex),
    listCandles(network, hex, { interval, limit: CANDLES, before: undefined }),
    listSwaps(network, hex, request),
  ]);
  const { record } = expectFound(detail);
  const path = `/pools/${checksumAddress(record.pool.address)}`;
  const { swaps, total } = expectFound(page);
  const info = { ...request, total, next: null, block: null, since: null };
  const body = html`<h1>${pairName(record)} <span class="quiet">${named(record.pool.dex)} ${record.pool.type}</span></h1>
${overview(expectFound(detail))}
${section("Price", charts(record, expectFound(drawn).candles), intervals(path, interval))}
${section("Swaps", html`${swapTable(record, swaps)}${pager(info, path, interval === SPANS[0] ? {} : { interval })}`)}`;
  const title = `${symbolOf(record.token0)} / ${symbolOf(record.token1)} pool`;
  return { title, body, json: `/api/v1/pools/${checksumAddress(record.pool.address)}`, scope: "index" };
}

function overview({ record, basePrice, quotePrice }: NonNullable<Awaited<ReturnType<typeof findPool>>>): Html {
  const { pool, token0, token1, base, quote, figures } = record;
  const price = figures.price && inQuote(record, figures.price);
  const unit = (value: bigint, { decimals }: PoolToken) => formatFraction(value * 10n ** BigInt(decimals), SCALE, 18);
  const inDollars = (value: bigint, token: PoolToken) =>
    value > 0n && html` <span class="quiet">$${unit(value, token)}</span>`;
  return facts([
    ["Contract", fullAddress(pool.address)],
    price && [
      "Price",
      html`${numberText(price)} <bdi>${symbolOf(quote)}</bdi> for one <bdi>${symbolOf(base)}</bdi>${inDollars(basePrice, base)}`,
    ],
    ["Reserves", html`${held(figures.balance0, token0)}, ${held(figures.balance1, token1)}`],
    quotePrice > 0n && [`One ${symbolOf(quote)}`, html`$${unit(quotePrice, quote)}`],
    ["Value locked", dollars(figures.locked)],
    ["Volume in 24 hours", html`${dollars(figures.traded)} ${change(figures.tradedChange)}`],
    ["Fees in 24 hours", html`${dollars(figures.fees)} <span class="quiet">${percentText(figures.apr)} a year</span>`],
    ["Fee", feeText(pool.fee)],
    ["Transactions in 24 hours", figure(figures.transactions)],
  ]);
}

function held(value: bigint, token: PoolToken): Html {
  const text = checksumAddress(token.listed.address);
  return html`${amount(value, { decimals: token.decimals })} <a href="/token/${text}"><bdi>${symbolOf(token)}</bdi></a>`;
}

function numberText({ numerator, denominator }: Fraction): string {
  return numerator === 0n || denominator === 0n
    ? "0"
    : Number(formatFraction(numerator, denominator, 18)).toLocaleString("en", { maximumSignificantDigits: 8 });
}

function intervals(path: string, current: Interval): Html {
  return html`<span class="choices">${[...SPANS].sort((a, b) => INTERVALS[a] - INTERVALS[b]).map((name) => html`<a href="${path}?interval=${name}"${name === current && html` aria-current="page"`}>${name}</a> `)}</span>`;
}

function charts(record: PoolRecord, candles: NonNullable<Awaited<ReturnType<typeof listCandles>>>["candles"]): Html {
  const isFirst = record.base === record.token0;
  const price = (fraction: Fraction) => {
    const { numerator, denominator } = inQuote(record, fraction);
    return denominator === 0n ? 0 : Number(formatFraction(numerator, denominator, 18));
  };
  const drawn = candles.map((candle) => ({
    timestamp: candle.timestamp,
    open: price(candle.open),
    // The other way round the highest is the lowest.
    high: price(isFirst ? candle.high : candle.low),
    low: price(isFirst ? candle.low : candle.high),
    close: price(candle.close),
  }));
  const volumes = candles.map(({ timestamp, volume0, volume1 }) => {
    const value = Number(isFirst ? volume1 : volume0) / 10 ** record.quote.decimals;
    return { label: momentText(timestamp), value, text: `${value.toLocaleString("en")} ${symbolOf(record.quote)}` };
  });
  return html`${candleChart("Price", drawn)}<h3>Volume</h3>${barChart("Volume", volumes)}`;
}

function momentText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ");
}

function swapTable({ token0, base, quote }: PoolRecord, swaps: readonly MinedSwap[]): Html {
  const rows = swaps.map((swap): Content[] => {
    const [baseAmount, quoteAmount] = base === token0 ? [swap.amount0, swap.amount1] : [swap.amount1, swap.amount0];
    const size = (value: bigint) => (value < 0n ? -value : value);
    const sender = checksumAddress(swap.sender);
    return [
      transactionLink(swap.transactionHash),
      time(swap.timestamp),
      baseAmount < 0n ? html`<span class="direction in">buy</span>` : html`<span class="direction out">sell</span>`,
      amount(size(baseAmount), { decimals: base.decimals, symbol: symbolOf(base) }),
      amount(size(quoteAmount), { decimals: quote.decimals, symbol: symbolOf(quote) }),
      html`<a class="address" href="/address/${sender}" title="${sender}"><code>${shorten(sender)}</code></a>`,
    ];
  });
  const columns = [
    "Transaction",
    "Time",
    "Kind",
    { title: "Amount", isNumber: true },
    { title: "For", isNumber: true },
    "Sender",
  ];
  return table(columns, rows, "Nobody has traded here yet.");
}
