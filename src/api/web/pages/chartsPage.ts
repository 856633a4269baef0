import { formatFraction } from "../../../exchange/decimal.ts";
import { SCALE } from "../../../exchange/prices.ts";
import type { MarketPeriod } from "../../../query/exchange/marketHistory.ts";
import { listMarketHistory } from "../../../query/exchange/marketHistory.ts";
import type { ActiveAddresses } from "../../../query/stats/activeAddresses.ts";
import type { ChainHistory } from "../../../query/stats/chainHistory.ts";
import { RANGES } from "../../../query/timeline.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import type { WebPage } from "../page.ts";
import { parseChoice } from "../params.ts";
import { count, formatUnits, roundUnits } from "../parts/format.ts";
import { dollarText } from "../parts/money.ts";
import { rangeLinks, stepText } from "../parts/rangeLinks.ts";
import { section } from "../parts/table.ts";
import type { TimePoint } from "../parts/timeChart.ts";
import { timeChart } from "../parts/timeChart.ts";

const DAY = 86_400;

export const CHART_PAGES: readonly WebRoute[] = [{ path: "/charts", serve: serveCharts }];

async function serveCharts({ network, site }: WebContext, { query }: WebRequest): Promise<WebPage> {
  const range = parseChoice(query, "range", RANGES);
  const [history, market] = await Promise.all([
    network.stats.history(range),
    listMarketHistory(network.exchange, range),
  ]);
  const chain = history && chainCharts(history, site.coin);
  const values = market && marketCharts(market.periods, market.step);
  const isWhole =
    history?.periods.every(({ fees }) => fees !== undefined) !== false &&
    market?.periods.every(({ value }) => value !== undefined) !== false;
  const body = html`<header class="title"><h1>Charts</h1>${rangeLinks("/charts", range, RANGES[0])}</header>
${!isWhole && history !== undefined && html`<p class="quiet">Fees and values of the oldest periods are still added up, some more each time this page is opened.</p>`}
${history === undefined ? html`<p class="none">Nothing is indexed yet.</p>` : html`<div class="columns">${chain}${values}</div>`}`;
  const json = "/api/v2/stats/charts/transactions";
  return { title: "Charts", body, json, scope: isWhole ? "index" : undefined };
}

function chainCharts({ periods, step, active }: ChainHistory, coin: string): Html[] {
  const draw = (title: string, pick: (period: ChainHistory["periods"][number]) => number | bigint | undefined) => {
    const points = periods.map((period) => countPoint(period.start, pick(period)));
    const known = points.filter(({ value }) => value !== undefined);
    const caption = html`${count(known.reduce((sum, { exact }) => sum + BigInt(exact), 0n))} in all`;
    return (
      known.length > 0 &&
      section(`${title} ${stepText(step)}`, timeChart({ title, kind: "bars", step, points, caption }))
    );
  };
  const fees = periods.map(({ start, fees: paid }) => feePoint(start, paid, coin));
  const paid = periods.reduce((sum, period) => sum + (period.fees ?? 0n), 0n);
  return [
    draw("Transactions", ({ transactions }) => transactions),
    active !== undefined && section("Active addresses per day", activeChart(active)),
    draw("New addresses", ({ addresses }) => addresses),
    draw("Token transfers", ({ transfers }) => transfers),
    draw("Contracts created by transactions", ({ contracts }) => contracts),
    draw("Gas used", ({ gasUsed }) => gasUsed),
    section(
      `Fees ${stepText(step)}`,
      timeChart({
        title: "Fees",
        kind: "bars",
        step,
        points: fees,
        caption: html`${roundUnits(paid, 18)} ${coin} in all`,
      }),
    ),
  ].filter((part) => part !== false);
}

function activeChart({ step, periods }: ActiveAddresses): Html {
  const points = periods.map(({ start, addresses }) => countPoint(start, addresses));
  const caption = step > DAY && html`mean of ${step / DAY} days`;
  return timeChart({ title: "Active addresses", kind: "bars", step, points, caption });
}

function countPoint(start: number, value: number | bigint | undefined): TimePoint {
  const known = value ?? 0;
  return { start, value: value === undefined ? undefined : Number(known), text: count(known), exact: String(known) };
}

function feePoint(start: number, fees: bigint | undefined, coin: string): TimePoint {
  const exact = formatUnits(fees ?? 0n, 18).replaceAll(",", "");
  return {
    start,
    value: fees === undefined ? undefined : Number(exact),
    text: `${roundUnits(fees ?? 0n, 18)} ${coin}`,
    exact,
  };
}

function marketCharts(periods: readonly MarketPeriod[], step: number): Html[] {
  const points = (pick: (value: NonNullable<MarketPeriod["value"]>) => bigint) =>
    periods.map(({ start, value }) => dollarPoint(start, value && pick(value)));
  return [
    section(
      "Value locked in pools",
      timeChart({ title: "Value locked", kind: "line", step, unit: "$", points: points(({ locked }) => locked) }),
    ),
    section(
      `Traded in pools ${stepText(step)}`,
      timeChart({ title: "Volume", kind: "bars", step, unit: "$", points: points(({ traded }) => traded) }),
    ),
  ];
}

/** In units of 1 / SCALE dollars. */
export function dollarPoint(start: number, dollars: bigint | undefined): TimePoint {
  const exact = formatFraction(dollars ?? 0n, SCALE, 8);
  return { start, value: dollars === undefined ? undefined : Number(exact), text: dollarText(Number(exact)), exact };
}
