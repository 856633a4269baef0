import type { IndexerState } from "../indexer/follow.ts";
import type { Progress } from "../indexer/indexer.ts";

/** How often a log without a terminal gets a line. */
const LINE_EVERY = 5000;
const REDRAW_EVERY = 250;

interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Shows how indexing gets on: one line that changes on a terminal, a line every few seconds elsewhere. */
export class ProgressLine {
  readonly #output: Output;
  readonly #now: () => number;
  #start: { time: number; indexed: number } | undefined;
  #shownAt = Number.NEGATIVE_INFINITY;
  #shownBlock = -1;
  #isOpen = false;

  constructor(output: Output, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#now = now;
  }

  progress(progress: Progress): void {
    const time = this.#now();
    this.#start ??= { time, indexed: progress.indexed };
    const every = this.#output.isTTY === true ? REDRAW_EVERY : LINE_EVERY;
    if (progress.indexed === this.#shownBlock || time - this.#shownAt < every) return;
    this.#shownAt = time;
    this.#shownBlock = progress.indexed;
    this.#draw(describeProgress(progress, this.#start, time));
    // At the head a rate since the start says nothing: each stretch of catching up has its own.
    if (progress.indexed >= progress.head) this.#start = undefined;
  }

  state({ state, message }: IndexerState): void {
    if (state !== "running") this.line(`indexing is ${state}: ${message ?? "no reason given"}`);
  }

  /** A line that stays. */
  line(text: string): void {
    this.end();
    this.#output.write(`${text}\n`);
  }

  end(): void {
    if (this.#isOpen) this.#output.write("\n");
    this.#isOpen = false;
  }

  #draw(text: string): void {
    if (this.#output.isTTY !== true) {
      this.line(text);
      return;
    }
    this.#output.write(`\r\x1b[K${text}`);
    this.#isOpen = true;
  }
}

function describeProgress(progress: Progress, start: { time: number; indexed: number }, time: number): string {
  const { head, indexed, transactions } = progress;
  const where = `block ${indexed} of ${head}, ${transactions} transactions`;
  if (indexed >= head) return where;
  const perSecond = (indexed - start.indexed) / ((time - start.time) / 1000);
  if (!(perSecond > 0)) return where;
  return `${where}, ${perSecond.toFixed(perSecond < 10 ? 1 : 0)} blocks/s, ${duration((head - indexed) / perSecond)} left`;
}

export function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  const hours = Math.round(whole / 3600);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
