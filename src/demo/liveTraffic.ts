interface TrafficPolicy {
  readonly interval: number;
  /** Milliseconds after the last request. */
  readonly idleTimeout: number;
  /** Blocks per day. */
  readonly maxPerDay: number;
}

/** A block every twelve seconds until three minutes after the last request. A day of two networks takes 80 MB. */
const TRAFFIC_POLICY: TrafficPolicy = { interval: 12_000, idleTimeout: 180_000, maxPerDay: 2400 };

/** Daily block counts, kept across restarts. */
interface Ledger {
  read(): string | undefined;
  write(entry: string): void;
}

interface LiveTrafficOptions {
  readonly makeBlock: () => Promise<boolean>;
  readonly ledger: Ledger;
  readonly policy?: TrafficPolicy;
  readonly onError: (error: unknown) => void;
}

/** Traffic while the explorer is in use, within a daily limit. */
export class LiveTraffic {
  readonly #options: LiveTrafficOptions;
  readonly #policy: TrafficPolicy;
  #activeAt = Number.NEGATIVE_INFINITY;
  #madeAt = Number.NEGATIVE_INFINITY;
  #isMaking = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LiveTrafficOptions) {
    this.#options = options;
    this.#policy = options.policy ?? TRAFFIC_POLICY;
  }

  start(): void {
    this.#timer = setInterval(() => void this.tick(Date.now()), this.#policy.interval / 4);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  noteActivity(now = Date.now()): void {
    this.#activeAt = now;
  }

  /** Returns whether a block was made. */
  async tick(now: number): Promise<boolean> {
    const { interval, idleTimeout, maxPerDay } = this.#policy;
    const isDue = now - this.#madeAt >= interval && now - this.#activeAt < idleTimeout;
    if (!isDue || this.#isMaking || this.#madeOn(now) >= maxPerDay) return false;
    this.#isMaking = true;
    this.#madeAt = now;
    try {
      if (!(await this.#options.makeBlock())) this.stop();
      this.#options.ledger.write(`${dayOf(now)} ${this.#madeOn(now) + 1}`);
      return true;
    } catch (error) {
      this.#options.onError(error);
      return false;
    } finally {
      this.#isMaking = false;
    }
  }

  #madeOn(now: number): number {
    const [day, count] = (this.#options.ledger.read() ?? "").split(" ");
    return day === dayOf(now) ? Number(count) : 0;
  }
}

function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
