import type { IndexerState } from "../indexer/follow.ts";
import type { IndexerEvent, Progress } from "../indexer/indexer.ts";
import type { Screen } from "./screen.ts";

/** Milliseconds between lines without a terminal. */
export const LINE_EVERY = 5000;
/** The same at the head of the chain, and for repeated messages. */
export const QUIET_EVERY = 60_000;
/** Within so many blocks of the head, the index counts as caught up. */
const AT_HEAD = 5;
const REDRAW_EVERY = 250;

interface Options {
  readonly name?: string | undefined;
  readonly now?: () => number;
}

/** Reports indexing progress: continuously on a terminal, as periodic lines elsewhere. */
export class ProgressLine {
  readonly #screen: Screen;
  readonly #name: string;
  readonly #now: () => number;
  #start: { time: number; indexed: number } | undefined;
  #shownAt = Number.NEGATIVE_INFINITY;
  #shownBlock = -1;
  #isAtHead = false;
  /** Time of the last message per state. */
  readonly #printedAt = new Map<string, number>();
  #isHalted = false;
  #later: NodeJS.Timeout | undefined;

  constructor(screen: Screen, { name = "", now = () => performance.now() }: Options = {}) {
    this.#screen = screen;
    this.#name = name;
    this.#now = now;
  }

  progress(progress: Progress): void {
    const time = this.#now();
    this.#start ??= { time, indexed: progress.indexed };
    clearTimeout(this.#later);
    if (progress.indexed === this.#shownBlock) return;
    const isAtHead = progress.head - progress.indexed <= AT_HEAD;
    const interval = isAtHead && this.#isAtHead ? QUIET_EVERY : LINE_EVERY;
    const wait = this.#shownAt + (this.#screen.isTerminal ? REDRAW_EVERY : interval) - time;
    if (wait > 0) {
      // No further event may follow, so the newest state is shown after the delay.
      this.#later = setTimeout(() => this.progress(progress), wait).unref();
      return;
    }
    this.#shownAt = time;
    this.#shownBlock = progress.indexed;
    this.#isAtHead = isAtHead;
    this.#screen.draw(this.#name, this.#named(describeProgress(progress, this.#start, time)));
    // The rate restarts with each catch-up.
    if (progress.indexed >= progress.head) this.#start = undefined;
  }

  state({ state, message }: IndexerState): void {
    const isHalted = state !== "running";
    if (isHalted) this.#printOnce(`indexing is ${state}: ${message ?? "no reason given"}`);
    else if (this.#isHalted) this.#printOnce("indexing goes on");
    // Resuming after a halt is reported even at the head.
    if (isHalted) this.#shownAt = Number.NEGATIVE_INFINITY;
    this.#isHalted = isHalted;
  }

  event(event: IndexerEvent): void {
    this.line(describeEvent(event));
  }

  /** Rate-limited, since a node may flap. */
  #printOnce(text: string): void {
    const time = this.#now();
    if (time - (this.#printedAt.get(text) ?? Number.NEGATIVE_INFINITY) < QUIET_EVERY) return;
    for (const [other, at] of this.#printedAt) if (time - at >= QUIET_EVERY) this.#printedAt.delete(other);
    this.#printedAt.set(text, time);
    this.line(text);
  }

  /** A permanent line. */
  line(text: string): void {
    this.#screen.line(this.#named(text));
  }

  end(): void {
    clearTimeout(this.#later);
  }

  #named(text: string): string {
    return this.#name === "" ? text : `${this.#name}: ${text}`;
  }
}

function describeEvent(event: IndexerEvent): string {
  const took = `in ${Math.ceil(event.milliseconds)} ms`;
  if (event.kind === "unwound") {
    const { from, to } = event;
    return `reorg: ${from - to} ${from - to === 1 ? "block" : "blocks"} taken back ${took}, from ${from} to ${to}`;
  }
  if (event.kind === "derived") return `${event.stage} of ${event.blocks} blocks derived ${took}`;
  const why = event.code === "chain_reset" ? "the chain began again" : "the chain went back further than can be undone";
  return `index cleared ${took} to begin again: ${why}`;
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
