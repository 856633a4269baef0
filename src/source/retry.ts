import { setTimeout as sleep } from "node:timers/promises";
import { asChainError, ChainError } from "../chain/error.ts";
import { UpstreamError } from "./failure.ts";

export interface RetryPolicy {
  readonly attempts: number;
  readonly invalidAttempts: number;
  readonly unreachedAttempts: number;
  readonly baseMs: number;
  readonly maxDelayMs: number;
  readonly maxRetryAfterMs: number;
  readonly deadlineMs: number;
  readonly random: () => number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 8,
  invalidAttempts: 3,
  unreachedAttempts: 8,
  baseMs: 125,
  maxDelayMs: 8_000,
  maxRetryAfterMs: 30_000,
  deadlineMs: 60_000,
  random: Math.random,
};

/** Whether a retry may succeed. */
export function isTransient(error: unknown): boolean {
  return error instanceof ChainError && (error.code === "upstream_unavailable" || error.code === "upstream_invalid");
}

export class Operation {
  /** Bytes received so far. */
  bytes = 0;
  readonly #policy: RetryPolicy;
  readonly #signal: AbortSignal;
  readonly #onRetry: () => void;
  readonly #deadline: number;
  #failures = 0;
  #invalid = 0;
  #unreached = 0;
  #isOver = false;

  constructor(policy: RetryPolicy, signal: AbortSignal, onRetry: () => void) {
    this.#policy = policy;
    this.#signal = signal;
    this.#onRetry = onRetry;
    this.#deadline = performance.now() + policy.deadlineMs;
  }

  /** Resets the attempts: a slow node is not a failing one. */
  progress(): void {
    this.#failures = 0;
    this.#unreached = 0;
  }

  /** Waits before a retry, or throws the error if a retry is pointless or over budget. */
  async pause(error: unknown): Promise<void> {
    const failure = asChainError(error);
    this.#signal.throwIfAborted();
    if (!isTransient(failure)) throw failure;
    const delay = this.#delayAfter(failure);
    this.#isOver ||= delay === undefined || performance.now() + delay > this.#deadline;
    if (this.#isOver) throw failure;
    try {
      await sleep(delay, undefined, { signal: this.#signal, ref: false });
    } catch {
      throw this.#signal.reason;
    }
    this.#onRetry();
  }

  get #isGivenUp(): boolean {
    const { attempts, invalidAttempts, unreachedAttempts } = this.#policy;
    return this.#failures >= attempts || this.#invalid >= invalidAttempts || this.#unreached >= unreachedAttempts;
  }

  #count(failure: ChainError): void {
    this.#failures++;
    if (failure.code === "upstream_invalid") this.#invalid++;
    if (failure instanceof UpstreamError && failure.isUnreached) this.#unreached++;
  }

  #delayAfter(failure: ChainError): number | undefined {
    const { baseMs, maxDelayMs, maxRetryAfterMs, random } = this.#policy;
    this.#count(failure);
    if (this.#isGivenUp) return undefined;
    const jittered = random() * Math.min(maxDelayMs, baseMs * 2 ** (this.#failures - 1));
    const asked = failure instanceof UpstreamError ? (failure.retryAfterMs ?? 0) : 0;
    return Math.max(jittered, Math.min(asked, maxRetryAfterMs));
  }
}
