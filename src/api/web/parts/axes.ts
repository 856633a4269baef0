const HOUR = 3600;
const DAY = 86_400;

/** Even values around a range, about four steps of 1, 2 or 5 times a power of ten. */
export function valueTicks(low: number, high: number): number[] {
  const span = high - low || Math.abs(high) || 1;
  const step = niceStep(span / 4);
  const first = Math.floor(low / step + ROUNDING);
  const last = Math.max(Math.ceil(high / step - ROUNDING), first + 1);
  return Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

const ROUNDING = 1e-9;

function niceStep(wanted: number): number {
  const power = 10 ** Math.floor(Math.log10(wanted));
  const factor = [1, 2, 5, 10].find((each) => each * power >= wanted * (1 - ROUNDING)) ?? 10;
  return factor * power;
}

/** As short as ticks can be told apart. */
export function tickText(value: number, ticks: readonly number[]): string {
  const step = ticks[1]! - ticks[0]!;
  const max = Math.max(...ticks.map(Math.abs), step);
  const digits = Math.floor(Math.log10(max) + ROUNDING) - Math.floor(Math.log10(step) + ROUNDING) + 1;
  const notation = max >= 10_000 ? "compact" : "standard";
  return value.toLocaleString("en", { notation, maximumSignificantDigits: Math.min(Math.max(digits, 2), 12) });
}

interface TimeTick {
  readonly time: number;
  readonly text: string;
}

const STEPS = [900, 1800, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 5 * DAY, 10 * DAY, 30 * DAY];

const MAX_TICKS = 8;

/** Round times of a span in UTC: hours, with the day at midnight, then days, then months. */
export function timeTicks(from: number, to: number): TimeTick[] {
  const step = STEPS.find((each) => (to - from) / each <= MAX_TICKS) ?? Math.ceil((to - from) / MAX_TICKS / DAY) * DAY;
  const first = Math.ceil(from / step);
  const count = Math.max(Math.floor(to / step) - first + 1, 0);
  return Array.from({ length: count }, (_, at) => {
    const time = (first + at) * step;
    return { time, text: timeText(time, step, to - from) };
  });
}

function timeText(time: number, step: number, span: number): string {
  const date = new Date(time * 1000);
  if (step < DAY && time % DAY !== 0) return date.toISOString().slice(11, 16);
  const month = date.toLocaleString("en", { month: "short", timeZone: "UTC" });
  return span > 366 * DAY ? `${month} ${date.getUTCFullYear()}` : `${date.getUTCDate()} ${month}`;
}
