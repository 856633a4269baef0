import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import { valueTicks } from "./axes.ts";
import type { Plot } from "./timeChart.ts";
import { BOTTOM, figure, momentText, plotOf, round, tableRow } from "./timeChart.ts";

/** Exact decimals. */
interface DrawnCandle {
  readonly timestamp: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
}

/** Pixels of the volume below the candles. */
const VOLUME = 44;

/** Candles over time, with the volume below. `span` is the time that is drawn. */
export function candleChart(
  title: string,
  candles: readonly DrawnCandle[],
  { step, from, to }: { readonly step: number; readonly from: number; readonly to: number },
): Html {
  if (candles.length === 0) return html`<p class="none">Nobody traded in this time.</p>`;
  const low = Math.min(...candles.map((each) => Number(each.low)));
  const high = Math.max(...candles.map((each) => Number(each.high)));
  // Leaves the lowest quarter to the volume.
  const plot = plotOf(from, to, valueTicks(Math.max(low - (high - low) / 3, 0), high));
  const maxVolume = Math.max(...candles.map(({ volume }) => Number(volume))) || 1;
  const marks = candles.map((candle) => drawCandle(candle, step, plot, maxVolume));
  const rows = candles.map(({ timestamp, ...candle }) => {
    const values = [candle.open, candle.high, candle.low, candle.close, candle.volume];
    return tableRow(
      timestamp,
      values.map((value) => html`<data value="${value}">${text(Number(value))}</data>`),
    );
  });
  const columns = ["From", "Open", "High", "Low", "Close", "Volume"];
  return figure({ title, kind: "candles", step, plot, marks, unit: "", columns, rows });
}

function drawCandle(
  { timestamp, volume, ...candle }: DrawnCandle,
  step: number,
  { from, to, x, y }: Plot,
  maxVolume: number,
) {
  const [open, close] = [Number(candle.open), Number(candle.close)];
  const [top, bottom] = [y(Math.max(open, close)), y(Math.min(open, close))];
  const [middle, left] = [x(timestamp + step / 2), x(timestamp + step * 0.15)];
  const width = round((step * 70) / (to - from));
  const traded = round((Number(volume) * VOLUME) / maxVolume);
  const title = `${momentText(timestamp)}: from ${text(open)} to ${text(close)}, volume ${text(Number(volume))}`;
  return html`<g class="${close >= open ? "up" : "down"}"><title>${title}</title><rect class="traded" x="${left}%" width="${width}%" y="${round(BOTTOM - traded)}" height="${traded}"/><line x1="${middle}%" x2="${middle}%" y1="${y(Number(candle.high))}" y2="${y(Number(candle.low))}"/><rect x="${left}%" width="${width}%" y="${top}" height="${Math.max(round(bottom - top), 1)}"/></g>`;
}

function text(price: number): string {
  return price.toLocaleString("en", { maximumSignificantDigits: 6 });
}
