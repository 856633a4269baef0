import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import { listBlocks } from "../../../query/blocks/blockPages.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import { readRates } from "../../../query/exchange/rates.ts";
import type { IndexStatus } from "../../../query/indexStatus.ts";
import { READY_LAG, readIndexStatus } from "../../../query/indexStatus.ts";
import type { ChainFigures } from "../../../query/stats/chainFigures.ts";
import type { DayCount } from "../../../query/stats/charts.ts";
import { listTransactions } from "../../../query/transactions/transactionPages.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRoute } from "../context.ts";
import type { WebPage } from "../page.ts";
import { parsePage } from "../params.ts";
import { sparkline } from "../parts/chart.ts";
import { figure, formatUnits, percent, time } from "../parts/format.ts";
import { blockLink } from "../parts/links.ts";
import { counted } from "../parts/rows.ts";
import { section } from "../parts/table.ts";
import { transactionRows } from "../parts/transactionRows.ts";

export const HOME_PAGES: readonly WebRoute[] = [{ path: "/", serve: serveHome }];

const NEWEST = 8;

async function serveHome(context: WebContext): Promise<WebPage> {
  const { network, site } = context;
  const [figures, days, status, rates, latest] = await Promise.all([
    network.stats.figures(),
    network.stats.days(),
    readIndexStatus(network),
    readRates(network),
    readNewest(context),
  ]);
  const body = html`<h1 class="hidden">${site.chainName}</h1>
<div data-live-part="progress">${progress(status)}</div>
<div data-live-part="tiles">${tiles(figures, rates, site.coin)}</div>
${dailyChart(days)}
<div class="columns">
${latest}
</div>`;
  return { title: `${site.chainName} explorer`, body, json: "/api/v2/stats", isLive: true };
}

/** Shown only while the index is behind. */
function progress({ tip, head, lag }: IndexStatus): Html | undefined {
  if (head === null || (lag !== null && lag <= READY_LAG)) return undefined;
  const done = tip?.number ?? 0;
  return html`<p class="progress"><progress max="${head.number}" value="${done}" aria-label="Indexing"></progress> Indexing: block ${figure(done)} of ${figure(head.number)}. What is newer is asked of the node.</p>`;
}

function tiles(figures: ChainFigures | undefined, rates: Rates, coin: string): Html {
  if (figures === undefined) return html`<p class="none">Nothing is indexed yet.</p>`;
  const { tip, day: today, blockTime, gasPrices, used } = figures;
  const price = (gasPrices.average.baseFee ?? 0n) + gasPrices.average.tip;
  const all: (readonly [string, Content, string?] | undefined)[] = [
    ["Block", blockLink(tip.number)],
    ["Block time", html`<data value="${blockTime}">${durationText(blockTime / 1000)}</data>`],
    ["Transactions", figure(tip.totals.transactions)],
    ["In 24 hours", figure(today.transactions)],
    ["Addresses", html`<a href="/accounts">${figure(tip.totals.addresses)}</a>`],
    ["Gas price", html`<a href="/gas">${shortGwei(price)}</a>`],
    ["Utilization", percent(used.gas, used.limit)],
    rates.coin === undefined
      ? undefined
      : [`Price of ${coin}`, html`$<data value="${rates.coin}">${shortDollars(rates.coin)}</data>`],
  ];
  return html`<dl class="tiles">${all.map((tile) => tile && html`<div><dt>${tile[0]}</dt><dd>${tile[1]}</dd></div>`)}</dl>`;
}

/** Blocks of a generated history are minutes apart. */
function durationText(seconds: number): string {
  if (seconds < 100) return `${seconds.toFixed(1)} s`;
  return seconds < 6000 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

function shortGwei(wei: bigint): Html {
  return html`<data value="${wei}" title="${formatUnits(wei, 9)}">${shortDollars(String(Number(wei) / 1e9))} <span class="unit">Gwei</span></data>`;
}

/** Significant digits for any magnitude. */
function shortDollars(usd: string): string {
  const value = Number(usd);
  return value.toLocaleString("en", value >= 1 ? { maximumFractionDigits: 2 } : { maximumSignificantDigits: 4 });
}

function dailyChart(days: readonly DayCount[]): Html | undefined {
  if (days.length < 2) return undefined;
  const perDay = days.toReversed().map(({ transactions }) => transactions);
  return section("Transactions per day", sparkline("Transactions per day", perDay), html`<a href="/charts">Charts</a>`);
}

async function readNewest({ network, site }: WebContext): Promise<Html> {
  const request = parsePage<never>({}, NEWEST);
  const [blocks, transactions, rates] = await Promise.all([
    listBlocks(network, "block", request),
    listTransactions(network, request, "actions"),
    readRates(network),
  ]);
  const blockRows = blocks.blocks.map(
    ({
      header,
      sums,
    }) => html`<li data-key="${header.number}"><div>${blockLink(header.number)} <span class="under quiet">${time(header.timestamp)}</span></div>
<div class="end"><a href="/block/${header.number}?tab=transactions">${counted(sums.transactions, "transaction")}</a> <span class="under quiet">${percent(header.gasUsed, uintToBigInt(header.gasLimit))} full</span></div></li>`,
  );
  const none = html`<p class="none">There are none yet.</p>`;
  return html`${section("Latest blocks", html`<div data-live-part="blocks">${blockRows.length === 0 ? none : html`<ol class="newest">${blockRows}</ol>`}</div>`, html`<a href="/blocks">All</a>`)}
${section("Latest transactions", html`<div data-live-part="transactions">${transactionRows(transactions, { coin: site.coin, rates, names: network.names, isShort: true })}</div>`, html`<a href="/txs">All</a>`)}`;
}
