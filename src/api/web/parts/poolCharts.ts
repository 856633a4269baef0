import type { Fraction } from "../../../exchange/decimal.ts";
import { formatAmount, formatFraction, formatPrice } from "../../../exchange/decimal.ts";
import { SCALE } from "../../../exchange/prices.ts";
import type { CandleHistory } from "../../../query/pools/candles.ts";
import type { LockedPoint } from "../../../query/pools/lockedHistory.ts";
import type { PoolRecord } from "../../../query/pools/poolRecords.ts";
import { inQuote } from "../../../query/pools/poolRecords.ts";
import type { Html } from "../../html.ts";
import { candleChart } from "./candleChart.ts";
import { dollarText } from "./money.ts";
import { symbolOf } from "./poolText.ts";
import { timeChart } from "./timeChart.ts";

type Drawn = Omit<CandleHistory, "record">;

export function priceChart(record: PoolRecord, { candles, ...span }: Drawn): Html {
  const isFirst = record.base === record.token0;
  const drawn = candles.map((candle) => ({
    timestamp: candle.timestamp,
    open: priceText(record, candle.open),
    // Inverting swaps high and low.
    high: priceText(record, isFirst ? candle.high : candle.low),
    low: priceText(record, isFirst ? candle.low : candle.high),
    close: priceText(record, candle.close),
    volume: formatAmount(isFirst ? candle.volume1 : candle.volume0, record.quote.decimals),
  }));
  return candleChart("Price", drawn, span);
}

/** Exact price of the base token in quote tokens. */
export function priceText(record: PoolRecord, price: Fraction): string {
  const { numerator, denominator } = inQuote(record, price);
  return denominator === 0n ? "0" : formatPrice(numerator, denominator);
}

/** In US dollars if known, else in the quote token. */
export function lockedChart({ quote }: PoolRecord, points: readonly LockedPoint[], step: number): Html {
  const isPriced = points.some(({ locked }) => locked > 0n);
  const drawn = points.map(({ timestamp, locked, inQuote }) => {
    const exact = isPriced ? formatFraction(locked, SCALE, 8) : formatAmount(inQuote, quote.decimals);
    const value = Number(exact);
    const text = isPriced ? dollarText(value) : `${value.toLocaleString("en", DIGITS)} ${symbolOf(quote)}`;
    return { start: timestamp, value, text, exact };
  });
  return timeChart({ title: "Value locked", kind: "line", step, points: drawn, unit: isPriced ? "$" : "" });
}

const DIGITS = { maximumSignificantDigits: 8 } as const;
