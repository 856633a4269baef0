import type { Html } from "../../html.ts";
import { html } from "../../html.ts";

/** A data point with its label. */
export interface Point {
  readonly label: string;
  readonly value: number;
  readonly text: string;
  /** Exact value, for programs. */
  readonly exact?: string;
}

/** UTC, to the minute. */
export function momentText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ");
}

const WIDTH = 720;
const HEIGHT = 200;

/** Line chart over evenly spaced points, with a table for screen readers. */
export function lineChart(title: string, points: readonly Point[], isSmall = false): Html {
  if (points.length < 2) return html`<p class="none">There is too little to draw.</p>`;
  const height = isSmall ? 48 : HEIGHT;
  const [low, high] = [
    Math.min(...points.map(({ value }) => value), ...(isSmall ? [0] : [])),
    Math.max(...points.map(({ value }) => value)),
  ];
  const x = (at: number) => round((at * WIDTH) / (points.length - 1));
  // A constant series is drawn in the middle.
  const y = (value: number) =>
    high === low ? height / 2 : round(height - 4 - ((value - low) * (height - 8)) / (high - low));
  const line = points.map(({ value }, at) => `${x(at)},${y(value)}`).join(" ");
  return html`<figure class="chart${isSmall && " small"}">
<svg viewBox="0 0 ${WIDTH} ${height}" preserveAspectRatio="none" role="img" aria-label="${title}"><polygon class="area" points="0,${height} ${line} ${WIDTH},${height}"/><polyline class="line" points="${line}"/></svg>
${!isSmall && figureTable(title, points)}</figure>`;
}

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
    ({ label, text, exact }) =>
      html`<tr><th scope="row">${label}</th><td class="number">${exact === undefined ? text : html`<data value="${exact}">${text}</data>`}</td></tr>`,
  );
  return html`<figcaption><span>${first.label}</span><span>${low.text}${high.text !== low.text && html` to ${high.text}`}</span><span>${last.label}</span></figcaption>
<details><summary>${title} as a table</summary><div class="scroll" tabindex="0" role="group" aria-label="${title}"><table><tbody>${rows}</tbody></table></div></details>`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
