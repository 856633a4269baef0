import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import { tickText, timeTicks, valueTicks } from "./axes.ts";

/** A value of a period, or at its end. */
export interface TimePoint {
  readonly start: number;
  /** Undefined where it is not known. */
  readonly value: number | undefined;
  readonly text: string;
  /** For programs. */
  readonly exact: string;
}

export interface TimeChart {
  readonly title: string;
  readonly kind: "bars" | "line";
  /** Seconds of a period; 0 of values at moments. */
  readonly step: number;
  readonly points: readonly TimePoint[];
  /** Before the numbers of the axis. */
  readonly unit?: string;
  readonly caption?: Content;
}

/** Over the time of the points, with axes, and a table for screen readers. Scripts may draw the table's values instead. */
export function timeChart({ title, kind, step, points, unit = "", caption }: TimeChart): Html {
  const known = points.flatMap(({ value }) => value ?? []);
  if (known.length === 0) return html`<p class="none">There is nothing to draw.</p>`;
  if (kind === "bars" && known.every((value) => value === 0)) return html`<p class="none">None in this time.</p>`;
  const ticks = valueTicks(Math.min(...known, ...(kind === "bars" ? [0] : [])), Math.max(...known));
  const [from, last] = [points[0]!.start, points.at(-1)!.start];
  const plot = plotOf(from, Math.max(last + step, from + 1), ticks);
  const marks = kind === "bars" ? bars(points, step, plot) : lines(points, step, plot);
  const rows = points
    .filter(({ value }) => value !== undefined)
    .map(({ start, text, exact }) => tableRow(start, [html`<data value="${exact}">${text}</data>`]));
  return figure({
    title,
    kind,
    step,
    plot,
    marks,
    unit,
    caption,
    columns: [step === 0 ? "Time" : "From", title],
    rows,
  });
}

const HEIGHT = 200;
const TOP = 6;
const LABELS = 20;

export interface Plot {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly number[];
  /** Percent of the width. */
  readonly x: (time: number) => number;
  /** Pixels from the top. */
  readonly y: (value: number) => number;
}

export function plotOf(from: number, to: number, ticks: readonly number[]): Plot {
  const [low, high] = [ticks[0]!, ticks.at(-1)!];
  return {
    from,
    to,
    ticks,
    x: (time) => round(((time - from) * 100) / (to - from)),
    y: (value) => round(TOP + ((high - value) * HEIGHT) / (high - low)),
  };
}

export const BOTTOM = TOP + HEIGHT;

function bars(points: readonly TimePoint[], step: number, { from, to, x, y }: Plot): Html[] {
  const width = round((step * 80) / (to - from));
  return points
    .filter(({ value }) => value !== undefined && value > 0)
    .map(({ start, value, text }) => {
      const top = Math.min(y(value!), BOTTOM - 1);
      return html`<rect class="bar" x="${x(start + step / 10)}%" y="${top}" width="${width}%" height="${round(BOTTOM - top)}"><title>${momentText(start)}: ${text}</title></rect>`;
    });
}

/** A nested picture is stretched to the width, its lines are not. */
function lines(points: readonly TimePoint[], step: number, { x, y }: Plot): Html {
  const drawn = runsOf(points).map((run) => {
    const [first, last] = [run[0]!, run.at(-1)!];
    const all = run.length === 1 ? [{ ...first, start: first.start - step }, first] : run;
    const line = all.map(({ start, value }) => `${x(start + step) * 10},${y(value!)}`).join(" ");
    const area = `${x(all[0]!.start + step) * 10},${BOTTOM} ${line} ${x(last.start + step) * 10},${BOTTOM}`;
    return html`<polygon class="area" points="${area}"/><polyline class="line" points="${line}"/>`;
  });
  return html`<svg width="100%" height="${BOTTOM}" viewBox="0 0 1000 ${BOTTOM}" preserveAspectRatio="none">${drawn}</svg>`;
}

/** Neighbours that are known. */
function runsOf(points: readonly TimePoint[]): TimePoint[][] {
  const runs: TimePoint[][] = [[]];
  for (const point of points) {
    if (point.value !== undefined) runs.at(-1)!.push(point);
    else if (runs.at(-1)!.length > 0) runs.push([]);
  }
  return runs.filter((run) => run.length > 0);
}

interface Figure {
  readonly title: string;
  readonly kind: string;
  readonly step: number;
  readonly plot: Plot;
  readonly marks: Content;
  readonly unit: string;
  readonly caption?: Content;
  readonly columns: readonly string[];
  readonly rows: readonly Html[];
}

/** Text is not stretched: the width of the plot is that of the page, the height is fixed. */
export function figure({ title, kind, step, plot, marks, unit, caption, columns, rows }: Figure): Html {
  const { from, to, ticks, x, y } = plot;
  const grid = ticks.map((tick) => html`<line class="grid" x1="0" x2="100%" y1="${y(tick)}" y2="${y(tick)}"/>`);
  const values = ticks.map((tick) => html`<text x="6" y="${y(tick) + 4}">${unit}${tickText(tick, ticks)}</text>`);
  const times = timeTicks(from, to)
    .filter(({ time }) => x(time) >= 3 && x(time) <= 97)
    .map(
      ({ time, text }, at) =>
        html`<text${at % 2 === 1 && html` class="second"`} x="${x(time)}%" y="${BOTTOM + LABELS - 4}" text-anchor="middle">${text}</text>`,
    );
  const [low, high] = [ticks[0]!, ticks.at(-1)!].map((tick) => `${unit}${tickText(tick, ticks)}`);
  const label = `${title} from ${momentText(from)} to ${momentText(to)} UTC, between ${low} and ${high}`;
  return html`<figure class="chart" data-chart="${kind}" data-from="${from}" data-to="${to}" data-step="${step}" data-unit="${unit}"><div class="plot" role="img" aria-label="${label}"><svg class="marks" height="${BOTTOM + LABELS}">${grid}${marks}${times}</svg><svg class="scale" height="${BOTTOM + LABELS}">${values}</svg></div>
<figcaption>${caption}</figcaption>
<details><summary>${title} as a table</summary><div class="scroll" tabindex="0" role="group" aria-label="${title}"><table><thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div></details></figure>`;
}

export function tableRow(start: number, cells: readonly Html[]): Html {
  return html`<tr data-time="${start}"><th scope="row">${momentText(start)}</th>${cells.map((cell) => html`<td class="number">${cell}</td>`)}</tr>`;
}

/** UTC, to the minute. */
export function momentText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ");
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
