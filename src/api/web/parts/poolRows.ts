import { toHex } from "../../../chain/encoding/hex.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import type { PoolEvent } from "../../../query/pools/poolEvents.ts";
import type { PoolRecord, PoolToken } from "../../../query/pools/poolRecords.ts";
import type { MinedSwap } from "../../../query/pools/swaps.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import { amount, time } from "./format.ts";
import type { Names } from "./links.ts";
import { addressLink, hashLink } from "./links.ts";
import { dollarAmount, worth } from "./money.ts";
import { symbolOf } from "./poolText.ts";
import { DOT, row } from "./transferRows.ts";

export interface PoolRowOptions {
  readonly names: Names;
  readonly rates: Rates;
}

const NO_INFOS: AddressInfos = new Map();

/** Row of a trade: direction, amounts, trader, price. */
export function tradeRows(record: PoolRecord, swaps: readonly MinedSwap[], { names, rates }: PoolRowOptions): Html {
  if (swaps.length === 0) return html`<p class="none">Nobody has traded here yet.</p>`;
  const { token0, base, quote } = record;
  const rows = swaps.map((swap) => {
    const [baseAmount, quoteAmount] = base === token0 ? [swap.amount0, swap.amount1] : [swap.amount1, swap.amount0];
    const isBuy = baseAmount < 0n;
    const price = priceAt(quoteAmount, quote) / priceAt(baseAmount, base);
    const dollars = dollarsOf(quoteAmount, quote, rates) ?? dollarsOf(baseAmount, base, rates);
    return row({
      key: `${toHex(swap.transactionHash)}-${swap.logIndex}`,
      icon: isBuy ? "▲" : "▼",
      headline: html`${isBuy ? "Bought" : "Sold"} ${held(baseAmount, base)} for ${held(quoteAmount, quote)}`,
      about: html`${hashLink(swap.transactionHash)}${DOT}by ${addressLink(swap.trader, NO_INFOS, names)}${Number.isFinite(price) && html`${DOT}at ${rounded(Math.abs(price))}`}`,
      worth:
        dollars === undefined
          ? undefined
          : html`<span class="${isBuy ? "gain" : "loss"}">${dollarAmount(dollars)}</span>`,
      when: time(swap.timestamp),
    });
  });
  return html`<ol class="rows">${rows}</ol>`;
}

const WORDS: Readonly<Partial<Record<PoolEvent["type"], readonly [word: string, icon: string]>>> = {
  mint: ["Added", "+"],
  burn: ["Removed", "−"],
  collect: ["Collected", "↓"],
};

/** Events that pools of other kinds may log. */
const MOVED = ["Moved", "⇄"] as const;

/** Who added, removed and collected what, and for which prices. */
export function liquidityRows(
  record: PoolRecord,
  changes: readonly PoolEvent[],
  { names, rates }: PoolRowOptions,
): Html {
  if (changes.length === 0) return html`<p class="none">Nobody has added liquidity yet.</p>`;
  const { token0, token1 } = record;
  const rows = changes.map(({ type, amount0, amount1, ticks, ...change }) => {
    const [word, icon] = WORDS[type] ?? MOVED;
    const parts = [
      [amount0, token0],
      [amount1, token1],
    ] as const;
    const moved = parts.filter(([value]) => value !== 0n);
    const what = moved.map(([value, token], at) => html`${at > 0 && " and "}${held(value, token)}`);
    const values = moved.map(([value, token]) => dollarsOf(value, token, rates));
    const total = values.reduce<number | undefined>(
      (sum, value) => (sum === undefined || value === undefined ? undefined : sum + value),
      0,
    );
    return row({
      key: `${toHex(change.transactionHash)}-${change.logIndex}`,
      icon: moved.length === 0 ? "↻" : icon,
      headline: moved.length === 0 ? "Updated the fees of a position" : html`${word} ${what}`,
      about: html`${hashLink(change.transactionHash)}${DOT}by ${addressLink(change.origin, NO_INFOS, names)}${ticks && html`${DOT}${rangeText(record, ticks)}`}`,
      worth: total !== undefined && moved.length > 0 && dollarAmount(total),
      when: time(change.timestamp),
    });
  });
  return html`<ol class="rows">${rows}</ol>`;
}

function held(value: bigint, token: PoolToken): Html {
  return amount(value < 0n ? -value : value, { decimals: token.decimals, symbol: symbolOf(token) });
}

const priceAt = (value: bigint, { decimals }: PoolToken): number => Number(value) / 10 ** decimals;

function dollarsOf(value: bigint, token: PoolToken, rates: Rates): number | undefined {
  const price = rates.of(token.listed.address, token.decimals);
  return price === undefined ? undefined : worth(value < 0n ? -value : value, token.decimals, price);
}

/** A price beyond which nothing trades: positions for all prices end at a multiple of their pool's spacing. */
const LAST_TICK = 800_000;

export function rangeText({ token0, token1, base }: PoolRecord, [lower, upper]: readonly [number, number]): string {
  if (lower <= -LAST_TICK && upper >= LAST_TICK) return "all prices";
  const unit = 10 ** (token0.decimals - token1.decimals);
  const prices = [1.0001 ** lower * unit, 1.0001 ** upper * unit];
  const [low, high] = base === token0 ? prices : [1 / prices[1]!, 1 / prices[0]!];
  return `range ${rounded(low!)} to ${rounded(high!)}`;
}

/** Ends of ranges may be far beyond any price. */
function rounded(price: number): string {
  const isFar = price >= 1e15 || (price < 1e-9 && price > 0);
  return isFar ? price.toExponential(3) : price.toLocaleString("en", { maximumSignificantDigits: 5 });
}
