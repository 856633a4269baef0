import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import { listBlocks } from "../../../query/blocks/blockPages.ts";
import { readNewestBlocks } from "../../../query/blocks/newestBlock.ts";
import type { GasPrice } from "../../../query/stats/gasPrices.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRoute } from "../context.ts";
import type { WebPage } from "../page.ts";
import { parsePage } from "../params.ts";
import { coins, formatUnits, gwei } from "../parts/format.ts";
import { blockTable } from "../parts/rows.ts";
import { section } from "../parts/table.ts";
import { timeChart } from "../parts/timeChart.ts";

export const GAS_PAGES: readonly WebRoute[] = [{ path: "/gas", serve: serveGas }];

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
    const exact = formatUnits(fee, 9).replaceAll(",", "");
    return { start: header.timestamp, value: Number(exact), text: `${exact} Gwei`, exact };
  });
  const body = html`<h1>Gas</h1>
<div data-live-part="prices">${prices && html`<dl class="tiles wide">${tile("Slow", prices.slow)}${tile("Average", prices.average)}${tile("Fast", prices.fast)}</dl>`}</div>
${section(`Base fee of the last ${newest.length} blocks`, html`<div data-live-part="fees">${timeChart({ title: "Base fee", kind: "line", step: 0, points: fees })}</div>`)}
${section("Latest blocks", html`<div data-live-part="blocks">${blockTable(page.blocks, page.addresses, site.coin)}</div>`)}`;
  return { title: "Gas", body, json: "/api/v2/stats", isLive: true, scope: "index" };
}
