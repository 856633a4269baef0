import type { Html } from "../../html.ts";
import { html } from "../../html.ts";

export interface DrawnCandle {
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

const WIDTH = 720;
const HEIGHT = 240;
const EDGE = 8;

/** Candles beside each other, with the highest and the lowest price beside them. */
export function candleChart(title: string, candles: readonly DrawnCandle[]): Html {
  if (candles.length === 0) return html`<p class="none">Nobody traded in this time.</p>`;
  const [low, high] = [Math.min(...candles.map((each) => each.low)), Math.max(...candles.map((each) => each.high))];
  const y = (price: number) => round(HEIGHT - EDGE - ((price - low) * (HEIGHT - 2 * EDGE)) / (high - low || 1));
  const step = WIDTH / Math.max(candles.length, 20);
  const drawn = candles.map(({ timestamp, ...candle }, at) => {
    const [top, bottom] = [y(Math.max(candle.open, candle.close)), y(Math.min(candle.open, candle.close))];
    const middle = round(at * step + step / 2);
    return html`<g class="${candle.close >= candle.open ? "up" : "down"}"><title>${momentOf(timestamp)}: from ${text(candle.open)} to ${text(candle.close)}</title><line x1="${middle}" x2="${middle}" y1="${y(candle.high)}" y2="${y(candle.low)}"/><rect x="${round(at * step + step * 0.15)}" width="${round(step * 0.7)}" y="${top}" height="${Math.max(round(bottom - top), 1)}"/></g>`;
  });
  const rows = candles.map(
    (candle) =>
      html`<tr><th scope="row">${momentOf(candle.timestamp)}</th>${[candle.open, candle.high, candle.low, candle.close].map((price) => html`<td class="number">${text(price)}</td>`)}</tr>`,
  );
  return html`<figure class="chart candles"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title} from ${text(low)} to ${text(high)}">${drawn}</svg>
<figcaption><span>${momentOf(candles[0]!.timestamp)}</span><span>${text(low)} to ${text(high)}</span><span>${momentOf(candles.at(-1)!.timestamp)}</span></figcaption>
<details><summary>${title} as a table</summary><div class="scroll" tabindex="0" role="region" aria-label="${title}"><table><thead><tr>${["Time", "Open", "High", "Low", "Close"].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div></details></figure>`;
}

function text(price: number): string {
  return price.toLocaleString("en", { maximumSignificantDigits: 6 });
}

function momentOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ");
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
