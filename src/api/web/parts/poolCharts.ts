import type { Fraction } from "../../../exchange/decimal.ts";
import { formatAmount, formatFraction, formatPrice } from "../../../exchange/decimal.ts";
import { SCALE } from "../../../exchange/prices.ts";
import type { Candle } from "../../../query/pools/candles.ts";
import type { LockedPoint } from "../../../query/pools/lockedHistory.ts";
import type { PoolRecord } from "../../../query/pools/poolPages.ts";
import { inQuote } from "../../../query/pools/poolPages.ts";
import type { Html } from "../../html.ts";
import { candleChart } from "./candleChart.ts";
import type { Point } from "./chart.ts";
import { barChart, lineChart, momentText } from "./chart.ts";
import { dollarText } from "./money.ts";
import { symbolOf } from "./poolText.ts";

export function priceChart(record: PoolRecord, candles: readonly Candle[]): Html {
  const isFirst = record.base === record.token0;
  const drawn = candles.map((candle) => ({
    timestamp: candle.timestamp,
    open: priceText(record, candle.open),
    // Inverting swaps high and low.
    high: priceText(record, isFirst ? candle.high : candle.low),
    low: priceText(record, isFirst ? candle.low : candle.high),
    close: priceText(record, candle.close),
  }));
  return candleChart("Price", drawn);
}

/** Exact price of the base token in quote tokens. */
export function priceText(record: PoolRecord, price: Fraction): string {
  const { numerator, denominator } = inQuote(record, price);
  return denominator === 0n ? "0" : formatPrice(numerator, denominator);
}

export function volumeChart({ base, token0, quote }: PoolRecord, candles: readonly Candle[]): Html {
  const points = candles.map(({ timestamp, volume0, volume1 }) =>
    pointOf(timestamp, formatAmount(base === token0 ? volume1 : volume0, quote.decimals), tokens(symbolOf(quote))),
  );
  return barChart("Volume", points);
}

/** In US dollars if known, else in the quote token. */
export function lockedChart({ quote }: PoolRecord, points: readonly LockedPoint[]): Html {
  const isPriced = points.some(({ locked }) => locked > 0n);
  const drawn = points.map(({ timestamp, locked, inQuote: quoted }) =>
    isPriced
      ? pointOf(timestamp, formatFraction(locked, SCALE, 8), (exact) => dollarText(Number(exact)))
      : pointOf(timestamp, formatAmount(quoted, quote.decimals), tokens(symbolOf(quote))),
  );
  return lineChart("Value locked", drawn);
}

const tokens = (symbol: string) => (exact: string) =>
  `${Number(exact).toLocaleString("en", { maximumSignificantDigits: 8 })} ${symbol}`;

function pointOf(timestamp: number, exact: string, text: (exact: string) => string): Point {
  return { label: momentText(timestamp), value: Number(exact), text: text(exact), exact };
}
