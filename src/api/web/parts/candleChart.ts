import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import { momentText } from "./chart.ts";

/** Exact decimals. */
interface DrawnCandle {
  readonly timestamp: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
}

const WIDTH = 720;
const HEIGHT = 240;
const EDGE = 8;

/** Candlestick chart with price labels. */
export function candleChart(title: string, candles: readonly DrawnCandle[]): Html {
  if (candles.length === 0) return html`<p class="none">Nobody traded in this time.</p>`;
  const [low, high] = [
    Math.min(...candles.map((each) => Number(each.low))),
    Math.max(...candles.map((each) => Number(each.high))),
  ];
  const y = (price: number) => round(HEIGHT - EDGE - ((price - low) * (HEIGHT - 2 * EDGE)) / (high - low || 1));
  const step = WIDTH / Math.max(candles.length, 20);
  const drawn = candles.map(({ timestamp, ...candle }, at) => {
    const [open, close] = [Number(candle.open), Number(candle.close)];
    const [top, bottom] = [y(Math.max(open, close)), y(Math.min(open, close))];
    const middle = round(at * step + step / 2);
    return html`<g class="${close >= open ? "up" : "down"}"><title>${momentText(timestamp)}: from ${text(open)} to ${text(close)}</title><line x1="${middle}" x2="${middle}" y1="${y(Number(candle.high))}" y2="${y(Number(candle.low))}"/><rect x="${round(at * step + step * 0.15)}" width="${round(step * 0.7)}" y="${top}" height="${Math.max(round(bottom - top), 1)}"/></g>`;
  });
  const rows = candles.map(
    (candle) =>
      html`<tr><th scope="row">${momentText(candle.timestamp)}</th>${[candle.open, candle.high, candle.low, candle.close].map((price) => html`<td class="number"><data value="${price}">${text(Number(price))}</data></td>`)}</tr>`,
  );
  return html`<figure class="chart candles"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title} from ${text(low)} to ${text(high)}">${drawn}</svg>
<figcaption><span>${momentText(candles[0]!.timestamp)}</span><span>${text(low)} to ${text(high)}</span><span>${momentText(candles.at(-1)!.timestamp)}</span></figcaption>
<details><summary>${title} as a table</summary><div class="scroll" tabindex="0" role="group" aria-label="${title}"><table><thead><tr>${["Time", "Open", "High", "Low", "Close"].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div></details></figure>`;
}

function text(price: number): string {
  return price.toLocaleString("en", { maximumSignificantDigits: 6 });
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
