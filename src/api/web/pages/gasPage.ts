import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import { listBlocks } from "../../../query/blocks/blockPages.ts";
import { readNewestBlocks } from "../../../query/blocks/newestBlock.ts";
import { readRates } from "../../../query/exchange/rates.ts";
import type { GasPrice } from "../../../query/stats/gasPrices.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRoute } from "../context.ts";
import type { WebPage } from "../page.ts";
import { parsePage } from "../params.ts";
import { coins, formatUnits, gwei } from "../parts/format.ts";
import { assetDollars, dollarAmount } from "../parts/money.ts";
import { blockTable } from "../parts/rows.ts";
import { section } from "../parts/table.ts";
import type { Tile } from "../parts/tiles.ts";
import { tiles } from "../parts/tiles.ts";
import { timeChart } from "../parts/timeChart.ts";

export const GAS_PAGES: readonly WebRoute[] = [{ path: "/gas", serve: serveGas }];

const DRAWN = 100;

const TRANSFER_GAS = 21_000n;

/** Gas of a swap through one pool by a router. */
const SWAP_GAS = 130_000n;

/** Below a ten-thousandth of a Gwei fees are drawn in wei. */
const DUST = 100_000n;

async function serveGas({ network, site }: WebContext): Promise<WebPage> {
  const [figures, newest, page] = await Promise.all([
    network.stats.figures(),
    readNewestBlocks(network, DRAWN),
    listBlocks(network, "block", parsePage<never>({}, 10)),
  ]);
  const rates = await readRates(network);
  const tile = (title: string, price: GasPrice): Tile => {
    const total = (price.baseFee ?? 0n) + price.tip;
    const cost = (gas: bigint) => {
      const dollars = assetDollars({ token: null, amount: total * gas }, rates);
      return dollars === undefined ? coins(total * gas, site.coin) : dollarAmount(dollars);
    };
    const note = html`${gwei(price.tip)} to the miner; a transfer costs ${cost(TRANSFER_GAS)}, a swap about ${cost(SWAP_GAS)}`;
    return { title, value: gwei(total), note };
  };
  const prices = figures?.gasPrices;
  const baseFees = newest.map(({ header: { timestamp, baseFeePerGas } }) => ({
    start: timestamp,
    fee: baseFeePerGas === undefined ? 0n : uintToBigInt(baseFeePerGas),
  }));
  const isDust = baseFees.every(({ fee }) => fee < DUST);
  const fees = baseFees.map(({ start, fee }) => {
    const exact = formatUnits(fee, isDust ? 0 : 9).replaceAll(",", "");
    return { start, value: Number(exact), text: `${exact} ${isDust ? "wei" : "Gwei"}`, exact };
  });
  const body = html`<h1>Gas</h1>
<div data-live-part="prices">${prices && tiles([tile("Slow", prices.slow), tile("Average", prices.average), tile("Fast", prices.fast)])}</div>
${section(`Base fee of the last ${newest.length} blocks in ${isDust ? "wei" : "Gwei"}`, html`<div data-live-part="fees">${timeChart({ title: "Base fee", kind: "line", step: 0, points: fees })}</div>`)}
${section("Latest blocks", html`<div data-live-part="blocks">${blockTable(page.blocks, page.addresses, site.coin)}</div>`)}`;
  return { title: "Gas", body, json: "/api/v2/stats", isLive: true, scope: "index" };
}
