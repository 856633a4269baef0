import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { isPairType } from "../../../chain/exchange/exchangeFields.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import { hasPrices, readRates } from "../../../query/exchange/rates.ts";
import type { PageRequest } from "../../../query/pages.ts";
import { listCandles } from "../../../query/pools/candles.ts";
import { findTokenPrice } from "../../../query/pools/exchangeTokens.ts";
import { listLocked } from "../../../query/pools/lockedHistory.ts";
import type { PoolDetail } from "../../../query/pools/poolDetail.ts";
import { findPool } from "../../../query/pools/poolDetail.ts";
import { listPoolEvents } from "../../../query/pools/poolEvents.ts";
import { parsePoolId, poolIdOf } from "../../../query/pools/poolId.ts";
import { listPoolPositions, MAX_POOL_POSITIONS } from "../../../query/pools/poolPositions.ts";
import type { PoolRecord, PoolToken } from "../../../query/pools/poolRecords.ts";
import { listSwaps } from "../../../query/pools/swaps.ts";
import type { Range } from "../../../query/timeline.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest } from "../context.ts";
import { expectFound } from "../found.ts";
import type { WebPage } from "../page.ts";
import { parseAddress, parseChoice, parsePage } from "../params.ts";
import { attempt } from "../parts/attempt.ts";
import { named } from "../parts/format.ts";
import { copyButton, shorten } from "../parts/links.ts";
import { lockedChart, priceChart, priceText } from "../parts/poolCharts.ts";
import { liquidityRows, tradeRows } from "../parts/poolRows.ts";
import { dollarPrice, feeText, held, pairName, significant, symbolOf } from "../parts/poolText.ts";
import { pricedTiles, relativeTiles } from "../parts/poolTiles.ts";
import { initialOf } from "../parts/portfolio.ts";
import { poolPositionRows } from "../parts/positionRows.ts";
import { priceRoute } from "../parts/priceRoute.ts";
import { rangeLinks } from "../parts/rangeLinks.ts";
import { pager, section, tabs } from "../parts/table.ts";
import { tiles } from "../parts/tiles.ts";

const RANGES = ["7d", "24h", "30d", "all"] as const satisfies readonly Range[];
const TABS = ["trades", "liquidity", "positions", "price"] as const;

const LIQUIDITY = ["mint", "burn", "collect"] as const;

const ROWS = 25;

export async function servePool({ network }: WebContext, { parameter, query }: WebRequest): Promise<WebPage> {
  const hex = parsePoolId(parameter) ?? toHex(parseAddress(parameter));
  const [range, tab] = [parseChoice(query, "range", RANGES), parseChoice(query, "tab", TABS)];
  const [found, rates] = await Promise.all([findPool(network, hex), readRates(network)]);
  const detail = expectFound(found);
  const { record } = detail;
  const text = poolIdOf(record.pool);
  const contract = checksumAddress(record.pool.address);
  const path = `/pools/${text}`;
  const ranged = { ...(range !== RANGES[0] && { range }) };
  const all = [
    { name: "trades", title: "Trades" },
    { name: "liquidity", title: "Liquidity" },
    { name: "positions", title: "Positions" },
    { name: "price", title: "Price route" },
    { name: "contract", title: "Contract", path: `/address/${contract}?tab=contract` },
  ];
  const body = html`${heading(record, text)}
${overview(detail, hasPrices(network))}
${await attempt(() => priceSection(network, hex, range, tab === TABS[0] ? path : `${path}?tab=${tab}`))}
${tabs(all, tab, path)}
${await VIEWS[tab]({ network, detail, rates, hex, path, ranged, range }, query)}`;
  const title = `${symbolOf(record.token0)} / ${symbolOf(record.token1)} pool`;
  return { title, body, json: `/api/v1/pools/${text}`, scope: "index" };
}

function heading(record: PoolRecord, text: string): Html {
  const { pool, token0, token1 } = record;
  const mark = (token: PoolToken, at: number) =>
    html`<span class="icon k${at}" aria-hidden="true">${initialOf(symbolOf(token))}</span>`;
  return html`<div class="identity pair">${mark(token0, 0)}${mark(token1, 1)}<div><h1>${pairName(record)}</h1>
<p><span class="tag">${named(pool.dex)} · ${feeText(record.fee)}</span> <code class="quiet">${shorten(text, 6, 4)}</code>${copyButton(text)}</p></div></div>`;
}

/** Price, value, volume and fees; then what it holds. */
function overview({ record, basePrice }: PoolDetail, isPriced: boolean): Html {
  const { base, quote, figures, token0, token1 } = record;
  return html`${tiles([
    figures.price && {
      title: html`1 <bdi>${symbolOf(base)}</bdi>`,
      value: html`${significant(priceText(record, figures.price))} <span class="unit"><bdi>${symbolOf(quote)}</bdi></span>`,
      note: basePrice > 0n && dollarPrice(basePrice, base),
    },
    ...(isPriced ? pricedTiles : relativeTiles)(figures),
  ])}
<p class="holds">Holds ${held(figures.balance0, token0)} and ${held(figures.balance1, token1)}.</p>`;
}

interface PoolView {
  readonly network: WebContext["network"];
  readonly detail: PoolDetail;
  readonly rates: Rates;
  readonly hex: Hex;
  readonly path: string;
  readonly range: Range;
  /** The parameter of the range, unless it is the standard one. */
  readonly ranged: Readonly<Record<string, string>>;
}

const VIEWS = { trades, liquidity, positions, price };

async function trades({ network, detail, rates, hex, path, ranged }: PoolView, query: WebRequest["query"]) {
  const request = parsePage<never>(query, ROWS);
  const { swaps, total } = expectFound(await listSwaps(network, hex, request));
  return html`${tradeRows(detail.record, swaps, { names: network.names, rates })}${pager(infoOf(request, total), path, ranged)}`;
}

async function liquidity({ network, detail, rates, hex, path, ranged }: PoolView, query: WebRequest["query"]) {
  const request = parsePage<never>(query, ROWS);
  const { events, total } = expectFound(await listPoolEvents(network, hex, { ...request, types: LIQUIDITY }));
  return html`${liquidityRows(detail.record, events, { names: network.names, rates })}${pager(infoOf(request, total), path, { ...ranged, tab: "liquidity" })}`;
}

async function positions({ network, hex, path, ranged }: PoolView, query: WebRequest["query"]) {
  const request = parsePage<never>(query, ROWS);
  const page = expectFound(await listPoolPositions(network, hex, request));
  const { record, positions: shown, addresses, total, isCut } = page;
  const notes = [
    isCut && `The first ${MAX_POOL_POSITIONS} positions were looked at.`,
    (record.pool.type === "v3" || record.pool.type === "algebra") &&
      "Liquidity of tokens of a manager is the manager's here, all of one range together.",
  ].filter(Boolean);
  const note = notes.length > 0 && html`<p class="quiet">${notes.join(" ")}</p>`;
  return html`${note}${poolPositionRows(record, shown, { addresses, names: network.names })}${pager(infoOf(request, total), path, { ...ranged, tab: "positions" })}`;
}

async function price({ network, detail, hex, path, range }: PoolView) {
  const locked = await attempt(() => lockedSection(network, hex, range, `${path}?tab=price`));
  return html`${section("Price route", await routes(network, detail))}${locked}`;
}

const infoOf = (request: PageRequest<never>, total: number) => ({
  ...request,
  total,
  next: null,
  block: null,
  since: null,
});

async function priceSection(network: WebContext["network"], hex: Hex, range: Range, path: string): Promise<Html> {
  const { record, ...drawn } = expectFound(await listCandles(network, hex, { range }));
  const title = `Price of ${symbolOf(record.base)} in ${symbolOf(record.quote)}`;
  return section(title, priceChart(record, drawn), rangeLinks(path, range, RANGES[0]));
}

async function lockedSection(network: WebContext["network"], hex: Hex, range: Range, path: string): Promise<Html> {
  const { record, points, step } = expectFound(await listLocked(network, hex, { range }));
  return section(
    "Value locked",
    lockedChart(record, points, step),
    rangeLinks(path, range, RANGES[0], "Time of the value"),
  );
}

/** Price routes of both tokens. */
async function routes(network: WebContext["network"], { record }: PoolDetail): Promise<Html> {
  const { base, quote, figures } = record;
  const own =
    figures.price &&
    html`<p>One <bdi>${symbolOf(base)}</bdi> is ${significant(priceText(record, figures.price))} <bdi>${symbolOf(quote)}</bdi> by the ${isPairType(record.pool.type) ? "reserves" : "current price"} of this pool.</p>`;
  if (!hasPrices(network)) {
    return html`${own}<p class="quiet">No token of this network counts as a dollar, so that nothing has a price in dollars.</p>`;
  }
  const prices = await Promise.all([base, quote].map(({ listed }) => findTokenPrice(network, listed.hex)));
  return html`${own}${prices.map((price) => priceRoute(expectFound(price)))}`;
}
