import type { IChartApi, ISeriesApi, SeriesType, TickMarkType, Time, UTCTimestamp } from "lightweight-charts";
import { applyColors } from "./chartColors.ts";
import { element } from "./element.ts";

type Library = typeof import("lightweight-charts");

/** The values of a row of the table under a chart. */
interface Row {
  readonly time: UTCTimestamp;
  readonly label: string;
  readonly values: readonly number[];
  readonly texts: readonly string[];
}

/** Draws the tables of charts with the library, as they come into view. What the server drew stays without it. */
export function drawCharts(): void {
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      void draw(target as HTMLElement);
    }
  });
  // Values at moments have no even steps, which the library's axis has.
  for (const figure of document.querySelectorAll("figure[data-chart]:not([data-step='0'])")) {
    // Parts that change with each block are replaced by the server's.
    if (figure.closest("[data-live-part]") === null) seen.observe(figure);
  }
}

async function draw(figure: HTMLElement): Promise<void> {
  const rows = readRows(figure);
  if (rows.length < 2) return;
  const url = new URL("./lightweight-charts.js", import.meta.url).href;
  const library = (await import(url)) as Library;
  const plot = figure.querySelector<HTMLElement>(".plot")!;
  const place = element("div", "", "drawn");
  const reading = element("p", "", "read");
  place.setAttribute("role", "img");
  place.setAttribute("aria-label", plot.getAttribute("aria-label") ?? "");
  const kind = figure.dataset.chart!;
  const titles = [...figure.querySelectorAll("thead th")].slice(1).map(({ textContent }) => textContent ?? "");
  plot.replaceWith(place);
  place.before(reading);
  try {
    const chart = library.createChart(place, OPTIONS);
    const series = addSeries(library, chart, kind, [...rows, ...gapsOf(figure, rows)]);
    const paint = () => applyColors(chart, series, kind, figure);
    paint();
    new MutationObserver(paint).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
    showReading(chart, series, rows, { place, reading, titles });
    chart.timeScale().fitContent();
    giveCredit(figure);
  } catch (error) {
    place.replaceWith(plot);
    reading.remove();
    throw error;
  }
}

const OPTIONS = {
  autoSize: true,
  layout: { attributionLogo: false, background: { color: "transparent" }, fontSize: 12 },
  rightPriceScale: { borderVisible: false, entireTextOnly: true },
  timeScale: {
    borderVisible: false,
    timeVisible: true,
    fixLeftEdge: true,
    fixRightEdge: true,
    tickMarkFormatter: tickText,
  },
  // The page scrolls, and fingers read values.
  handleScroll: false,
  handleScale: false,
  localization: { locale: "en" },
} as const;

/** Hours, then days, then months, in UTC. */
function tickText(time: Time, kind: TickMarkType): string {
  const date = new Date(Number(time) * 1000);
  if (kind > 2) return date.toISOString().slice(11, 16);
  const month = date.toLocaleString("en", { month: "short", timeZone: "UTC" });
  return kind === 2 ? `${date.getUTCDate()} ${month}` : `${month} ${date.getUTCFullYear()}`;
}

/** Times ascend and differ, as the library wants them. */
function readRows(figure: HTMLElement): Row[] {
  const rows = new Map<number, Row>();
  for (const row of figure.querySelectorAll<HTMLElement>("tr[data-time]")) {
    const cells = [...row.querySelectorAll<HTMLDataElement>("td data")];
    const values = cells.map(({ value }) => Number(value));
    const texts = cells.map(({ textContent }) => textContent ?? "");
    const time = Number(row.dataset.time) as UTCTimestamp;
    rows.set(time, { time, label: row.querySelector("th")?.textContent ?? "", values, texts });
  }
  return [...rows.values()].sort((one, other) => one.time - other.time);
}

type Gap = Pick<Row, "time">;

/** Periods without a value take their place on the axis. */
function gapsOf({ dataset }: HTMLElement, rows: readonly Row[]): Gap[] {
  const [from, to, step] = [Number(dataset.from), Number(dataset.to), Number(dataset.step)];
  const known = new Set<number>(rows.map(({ time }) => time));
  const times = Array.from({ length: Math.round((to - from) / step) }, (_, at) => from + at * step);
  return times.filter((time) => !known.has(time)).map((time) => ({ time: time as UTCTimestamp }));
}

type Series = readonly [ISeriesApi<SeriesType>, ...ISeriesApi<SeriesType>[]];

function addSeries(library: Library, chart: IChartApi, kind: string, periods: readonly (Row | Gap)[]): Series {
  const plain = { priceLineVisible: false, lastValueVisible: false };
  const inOrder = periods.toSorted((one, other) => one.time - other.time);
  const draw = <T extends object>(of: (values: readonly number[]) => T) =>
    inOrder.map((period) => ({ time: period.time, ...("values" in period && of(period.values)) }));
  const values = draw(([value = 0]) => ({ value }));
  if (kind === "bars") {
    const bars = chart.addSeries(library.HistogramSeries, plain);
    bars.setData(values);
    bars.priceScale().applyOptions({ scaleMargins: { top: 0.08, bottom: 0 } });
    return [bars];
  }
  if (kind === "line") {
    const priceFormat = formatOf(inOrder, (all) => all.slice(0, 1));
    const area = chart.addSeries(library.AreaSeries, { ...plain, priceFormat, lineWidth: 2 });
    area.setData(values);
    return [area];
  }
  const priceFormat = formatOf(inOrder, (all) => all.slice(0, 4));
  const bodies = { ...plain, priceFormat, wickVisible: true, borderVisible: false };
  const candles = chart.addSeries(library.CandlestickSeries, bodies);
  candles.setData(draw(([open = 0, high = 0, low = 0, close = 0]) => ({ open, high, low, close })));
  const volume = chart.addSeries(library.HistogramSeries, { ...plain, priceScaleId: "volume" });
  volume.setData(draw(({ 4: value = 0 }) => ({ value })));
  chart.priceScale("volume").applyOptions({ scaleMargins: { top: 0.8, bottom: 0 } });
  candles.priceScale().applyOptions({ scaleMargins: { top: 0.08, bottom: 0.25 } });
  return [candles, volume];
}

const MAX_PRECISION = 15;

/** The axis has no ticks between steps of `minMove`, a hundredth by default. */
function formatOf(periods: readonly (Row | Gap)[], pick: (values: readonly number[]) => readonly number[]) {
  const values = periods.flatMap((period) => ("values" in period ? pick(period.values) : []));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const digits = Math.ceil(-Math.log10(high - low || Math.abs(high) || 1)) + 2;
  const precision = Math.min(Math.max(digits, 2), MAX_PRECISION);
  return { type: "price", precision, minMove: 10 ** -precision } as const;
}

interface Shown {
  readonly place: HTMLElement;
  readonly reading: HTMLElement;
  readonly titles: readonly string[];
}

/** The values under the pointer come from the table. */
function showReading(
  chart: IChartApi,
  [series]: Series,
  rows: readonly Row[],
  { place, reading, titles }: Shown,
): void {
  const byTime = new Map<unknown, Row>(rows.map((row) => [row.time, row]));
  const show = (row = rows.at(-1)!) => {
    const values = row.texts.map((text, at) => `${titles[at]} ${text}`).join(", ");
    reading.textContent = `${row.label}: ${row.texts.length === 1 ? row.texts[0] : values}`;
  };
  show();
  chart.subscribeCrosshairMove(({ time }) => show(byTime.get(time)));
  const touch = (event: PointerEvent) => {
    if (event.pointerType === "mouse") return;
    const time = chart.timeScale().coordinateToTime(event.clientX - place.getBoundingClientRect().left);
    const row = time === null ? undefined : byTime.get(time);
    if (row === undefined || time === null) return;
    chart.setCrosshairPosition(row.values.at(3) ?? row.values[0]!, time, series);
    show(row);
  };
  place.addEventListener("pointerdown", touch);
  place.addEventListener("pointermove", touch);
}

/** As the license of the library asks for, once on a page. */
function giveCredit(figure: HTMLElement): void {
  if (document.querySelector("[data-credit]") !== null) return;
  const link = element("a", "TradingView");
  link.href = "https://www.tradingview.com/";
  link.rel = "noopener";
  const note = element("p", "Charts are drawn by Lightweight Charts™ of ", "quiet note");
  note.dataset.credit = "";
  note.append(link);
  figure.closest("main")?.append(note);
}
