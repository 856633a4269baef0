import type { IChartApi, ISeriesApi, SeriesType } from "lightweight-charts";

/** The canvas has no style sheet. */
export function applyColors(
  chart: IChartApi,
  [first, second]: readonly ISeriesApi<SeriesType>[],
  kind: string,
  figure: HTMLElement,
): void {
  const probe = figure.appendChild(document.createElement("i"));
  const color = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const [quiet, line, accent] = [color("quiet"), color("line"), color("accent")];
  const [good, bad] = [color("good"), color("bad")];
  probe.remove();
  const unit = figure.dataset.unit ?? "";
  // Differences of the library's ticks leave a dust of zero.
  const dust =
    Math.max(...[...figure.querySelectorAll<HTMLDataElement>("td data")].map(({ value }) => Number(value))) * 1e-9;
  chart.applyOptions({
    layout: { textColor: quiet, fontFamily: getComputedStyle(figure).fontFamily },
    grid: { vertLines: { visible: false }, horzLines: { color: line } },
    localization: { priceFormatter: (value: number) => unit + shortText(Math.abs(value) < dust ? 0 : value) },
  });
  if (kind === "candles") {
    first?.applyOptions({ upColor: good, wickUpColor: good, downColor: bad, wickDownColor: bad });
    second?.applyOptions({ color: translucent(quiet) });
  } else if (kind === "line") {
    first?.applyOptions({ lineColor: accent, topColor: translucent(accent), bottomColor: "transparent" });
  } else first?.applyOptions({ color: accent });
}

function translucent(color: string): string {
  return color.replace("rgb(", "rgba(").replace(")", ", 0.3)");
}

function shortText(value: number): string {
  const notation = Math.abs(value) >= 10_000 ? "compact" : "standard";
  return value.toLocaleString("en", { notation, maximumSignificantDigits: notation === "compact" ? 4 : 6 });
}
