import type { Html } from "../../html.ts";
import { html } from "../../html.ts";

/** A data point with its label. */
export interface Point {
  readonly label: string;
  readonly value: number;
  readonly text: string;
}

const WIDTH = 720;
const HEIGHT = 200;
const SMALL = 48;

/** A small line without axes, beside figures. */
export function sparkline(title: string, values: readonly number[]): Html {
  const high = Math.max(...values) || 1;
  const y = (value: number) => round(SMALL - 4 - (value * (SMALL - 8)) / high);
  const line = values.map((value, at) => `${round((at * WIDTH) / (values.length - 1))},${y(value)}`).join(" ");
  return html`<figure class="chart small"><svg viewBox="0 0 ${WIDTH} ${SMALL}" preserveAspectRatio="none" role="img" aria-label="${title}"><polygon class="area" points="0,${SMALL} ${line} ${WIDTH},${SMALL}"/><polyline class="line" points="${line}"/></svg></figure>`;
}

/** Bars in order of rank. */
export function barChart(title: string, points: readonly Point[]): Html {
  if (points.length === 0) return html`<p class="none">There is nothing to draw.</p>`;
  const high = Math.max(...points.map(({ value }) => value)) || 1;
  const step = WIDTH / points.length;
  const bars = points.map(({ label, value, text }, at) => {
    const height = round((value * (HEIGHT - 8)) / high);
    return html`<rect x="${round(at * step + step * 0.1)}" y="${round(HEIGHT - height)}" width="${round(step * 0.8)}" height="${height}"><title>${label}: ${text}</title></rect>`;
  });
  return html`<figure class="chart"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title}"><g class="bars">${bars}</g></svg>
${figureTable(title, points)}</figure>`;
}

function figureTable(title: string, points: readonly Point[]): Html {
  const [first, last] = [points[0]!, points.at(-1)!];
  const sorted = points.toSorted((one, other) => one.value - other.value);
  const [low, high] = [sorted[0]!, sorted.at(-1)!];
  const rows = points.map(
    ({ label, text }) => html`<tr><th scope="row">${label}</th><td class="number">${text}</td></tr>`,
  );
  return html`<figcaption><span>${first.label}</span><span>${low.text}${high.text !== low.text && html` to ${high.text}`}</span><span>${last.label}</span></figcaption>
<details><summary>${title} as a table</summary><div class="scroll" tabindex="0" role="group" aria-label="${title}"><table><tbody>${rows}</tbody></table></div></details>`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
