import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { listCandles } from "../../../query/pools/candles.ts";
import { findTokenPrice } from "../../../query/pools/exchangeTokens.ts";
import { listLocked } from "../../../query/pools/lockedHistory.ts";
import type { PoolDetail } from "../../../query/pools/poolDetail.ts";
import { findPool } from "../../../query/pools/poolDetail.ts";
import type { PoolRecord } from "../../../query/pools/poolRecords.ts";
import type { MinedSwap } from "../../../query/pools/swaps.ts";
import { listSwaps } from "../../../query/pools/swaps.ts";
import type { Range } from "../../../query/timeline.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest } from "../context.ts";
import { expectFound } from "../found.ts";
import type { WebPage } from "../page.ts";
import { parseAddress, parseChoice, parsePage } from "../params.ts";
import { attempt } from "../parts/attempt.ts";
import { amount, figure, named, time } from "../parts/format.ts";
import type { Names } from "../parts/links.ts";
import { addressLink, fullAddress, transactionLink } from "../parts/links.ts";
import { lockedChart, priceChart, priceText } from "../parts/poolCharts.ts";
import {
  change,
  dollarPrice,
  dollars,
  feeText,
  held,
  pairName,
  percentText,
  significant,
  symbolOf,
} from "../parts/poolText.ts";
import { priceRoute } from "../parts/priceRoute.ts";
import { rangeLinks } from "../parts/rangeLinks.ts";
import { facts, pager, section, table } from "../parts/table.ts";

const RANGES = ["7d", "24h", "30d", "all"] as const satisfies readonly Range[];

const SWAPS = 25;

export async function servePool({ network }: WebContext, { parameter, query }: WebRequest): Promise<WebPage> {
  const hex = toHex(parseAddress(parameter));
  const range = parseChoice(query, "range", RANGES);
  const request = parsePage<never>(query, SWAPS);
  const detail = expectFound(await findPool(network, hex));
  const { record } = detail;
  const { swaps, total } = expectFound(await listSwaps(network, hex, request));
  const path = `/pools/${checksumAddress(record.pool.address)}`;
  const info = { ...request, total, next: null, block: null, since: null };
  const body = html`<h1>${pairName(record)} <span class="quiet">${named(record.pool.dex)}</span> <span class="tag">${record.pool.type}</span></h1>
${overview(detail)}
${await attempt(() => charts(network, hex, range, path))}
${section("Price route", await routes(network, detail))}
${section("Swaps", html`${swapTable(record, swaps, network.names)}${pager(info, path, range === RANGES[0] ? {} : { range })}`)}`;
  const title = `${symbolOf(record.token0)} / ${symbolOf(record.token1)} pool`;
  return { title, body, json: `/api/v1/pools/${checksumAddress(record.pool.address)}`, scope: "index" };
}

function overview({ record, basePrice, quotePrice }: PoolDetail): Html {
  const { pool, token0, token1, base, quote, figures } = record;
  const inDollars = (value: bigint, token: PoolRecord["base"]) =>
    value > 0n && html` <span class="quiet">${dollarPrice(value, token)}</span>`;
  return facts([
    ["Contract", fullAddress(pool.address)],
    figures.price && [
      "Price",
      html`${significant(priceText(record, figures.price))} <bdi>${symbolOf(quote)}</bdi> for one <bdi>${symbolOf(base)}</bdi>${inDollars(basePrice, base)}`,
    ],
    ["Reserves", html`${held(figures.balance0, token0)}, ${held(figures.balance1, token1)}`],
    quotePrice > 0n && [`One ${symbolOf(quote)}`, dollarPrice(quotePrice, quote)],
    [
      "Value locked",
      html`${dollars(figures.locked)} ${change(figures.lockedChange)} <span class="quiet">in 24 hours</span>`,
    ],
    ["Volume in 24 hours", html`${dollars(figures.traded)} ${change(figures.tradedChange)}`],
    ["Fees in 24 hours", html`${dollars(figures.fees)} <span class="quiet">${percentText(figures.apr)} a year</span>`],
    ["Fee", feeText(pool.fee)],
    ["Transactions in 24 hours", figure(figures.transactions)],
  ]);
}

async function charts(network: WebContext["network"], hex: Hex, range: Range, path: string): Promise<Html> {
  const [traded, locked] = await Promise.all([
    listCandles(network, hex, { range }),
    listLocked(network, hex, { range }),
  ]);
  const { record, ...drawn } = expectFound(traded);
  const { points, step } = expectFound(locked);
  const title = `Price of ${symbolOf(record.base)} in ${symbolOf(record.quote)}`;
  return html`${section(title, priceChart(record, drawn), rangeLinks(path, range, RANGES[0]))}
${section("Value locked", lockedChart(record, points, step))}`;
}

/** Price routes of both tokens. */
async function routes(network: WebContext["network"], { record }: PoolDetail): Promise<Html> {
  const { base, quote, figures } = record;
  const own =
    figures.price &&
    html`<p>One <bdi>${symbolOf(base)}</bdi> is ${significant(priceText(record, figures.price))} <bdi>${symbolOf(quote)}</bdi> by the ${record.pool.type === "v2" ? "reserves" : "current price"} of this pool.</p>`;
  if (network.exchange.settings.stables.length === 0) {
    return html`${own}<p class="quiet">No token of this network counts as a dollar, so that nothing has a price in dollars.</p>`;
  }
  const prices = await Promise.all([base, quote].map(({ listed }) => findTokenPrice(network, listed.hex)));
  return html`${own}${prices.map((price) => priceRoute(expectFound(price)))}`;
}

const NO_INFOS: AddressInfos = new Map();

/** A swap names who called the pool, mostly a router. */
function swapTable({ token0, base, quote }: PoolRecord, swaps: readonly MinedSwap[], names: Names): Html {
  const rows = swaps.map((swap): Content[] => {
    const [baseAmount, quoteAmount] = base === token0 ? [swap.amount0, swap.amount1] : [swap.amount1, swap.amount0];
    const size = (value: bigint) => (value < 0n ? -value : value);
    return [
      transactionLink(swap.transactionHash),
      time(swap.timestamp),
      baseAmount < 0n ? html`<span class="direction in">buy</span>` : html`<span class="direction out">sell</span>`,
      amount(size(baseAmount), { decimals: base.decimals, symbol: symbolOf(base) }),
      amount(size(quoteAmount), { decimals: quote.decimals, symbol: symbolOf(quote) }),
      addressLink(swap.sender, NO_INFOS, names),
    ];
  });
  const columns = [
    "Transaction",
    "Time",
    "Kind",
    { title: "Amount", isNumber: true },
    { title: "For", isNumber: true },
    "Called by",
  ];
  return table(columns, rows, "Nobody has traded here yet.");
}
