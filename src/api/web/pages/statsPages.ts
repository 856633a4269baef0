import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import { listBlocks } from "../../../query/blocks/blockPages.ts";
import { readNewestBlocks } from "../../../query/blocks/newestBlock.ts";
import type { GasPrice } from "../../../query/stats/gasPrices.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRoute } from "../context.ts";
import type { WebPage } from "../page.ts";
import { parsePage } from "../params.ts";
import { barChart, lineChart } from "../parts/chart.ts";
import { coins, count, day, formatUnits, gwei, percent } from "../parts/format.ts";
import { blockTable } from "../parts/rows.ts";
import { section } from "../parts/table.ts";

export const STATS_PAGES: readonly WebRoute[] = [
  { path: "/gas", serve: serveGas },
  { path: "/charts", serve: serveCharts },
];

const DRAWN = 100;

const TRANSFER_GAS = 21_000n;

async function serveGas({ network, site }: WebContext): Promise<WebPage> {
  const [figures, newest, page] = await Promise.all([
    network.stats.figures(),
    readNewestBlocks(network, DRAWN),
    listBlocks(network, "block", parsePage<never>({}, 10)),
  ]);
  const tile = (name: string, price: GasPrice) => {
    const total = (price.baseFee ?? 0n) + price.tip;
    return html`<div><dt>${name}</dt><dd>${gwei(total)} <span class="quiet">${gwei(price.tip)} to the miner; a transfer costs ${coins(total * TRANSFER_GAS, site.coin)}</span></dd></div>`;
  };
  const prices = figures?.gasPrices;
  const fees = newest.map(({ header }) => {
    const fee = header.baseFeePerGas === undefined ? 0n : uintToBigInt(header.baseFeePerGas);
    return { label: `block ${count(header.number)}`, value: Number(fee), text: `${formatUnits(fee, 9)} Gwei` };
  });
  const body = html`<h1>Gas</h1>
<div data-live-part="prices">${prices && html`<dl class="tiles wide">${tile("Slow", prices.slow)}${tile("Average", prices.average)}${tile("Fast", prices.fast)}</dl>`}</div>
${section(`Base fee of the last ${newest.length} blocks`, html`<div data-live-part="fees">${lineChart("Base fee", fees)}</div>`)}
${section("Latest blocks", html`<div data-live-part="blocks">${blockTable(page.blocks, page.addresses, site.coin)}</div>`)}`;
  return { title: "Gas", body, json: "/api/v2/stats", isLive: true, scope: "index" };
}

async function serveCharts({ network, site }: WebContext): Promise<WebPage> {
  const [days, newest] = await Promise.all([network.stats.days(), readNewestBlocks(network, DRAWN)]);
  const perDay = days
    .toReversed()
    .map(({ start, transactions }) => ({ label: day(start), value: transactions, text: count(transactions) }));
  const ofBlocks = (value: (block: (typeof newest)[number]) => readonly [number, string]) =>
    newest.map((block) => {
      const [number, text] = value(block);
      return { label: `block ${count(block.header.number)}`, value: number, text };
    });
  const size = `of the last ${newest.length} blocks`;
  const body = html`<h1>Charts</h1>
${section("Transactions per day", barChart("Transactions per day", perDay))}
${section(
  `Transactions ${size}`,
  barChart(
    "Transactions per block",
    ofBlocks(({ sums }) => [sums.transactions, count(sums.transactions)]),
  ),
)}
${section(
  `Gas ${size}`,
  barChart(
    "Gas used per block",
    ofBlocks(({ header }) => [
      header.gasUsed,
      `${count(header.gasUsed)}, ${percent(header.gasUsed, uintToBigInt(header.gasLimit))}`,
    ]),
  ),
)}
${section(
  `Fees ${size}`,
  barChart(
    "Fees per block",
    ofBlocks(({ sums }) => [Number(sums.fees), `${formatUnits(sums.fees, 18)} ${site.coin}`]),
  ),
)}`;
  return { title: "Charts", body, json: "/api/v2/stats/charts/transactions", scope: "index" };
}
