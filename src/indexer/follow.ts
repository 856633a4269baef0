import { setTimeout as delay } from "node:timers/promises";
import type { ErrorCode } from "../chain/error.ts";
import { asChainError } from "../chain/error.ts";
import type { Store } from "../store/store.ts";
import { ForkError } from "./ancestor.ts";
import type { Indexer } from "./indexer.ts";

/** What the indexer is doing, kept in the store so that whoever serves it can say so. */
export interface IndexerState {
  readonly state: "running" | "waiting" | "stopped";
  readonly code?: ErrorCode;
  readonly message?: string;
}

export interface FollowOptions {
  readonly store: Store;
  readonly indexer: Indexer;
  readonly signal: AbortSignal;
  /** How long to wait for a new block. */
  readonly pollMilliseconds: number;
  /** Tells of a new block before that, where the source does. */
  readonly watch?: (listener: () => void) => void;
  readonly onState?: (state: IndexerState) => void;
  /** A round came through. */
  readonly onStep?: () => void;
  /** Done while waiting at the head; the next block waits for it, so it ends with the signal and must not throw. */
  readonly onIdle?: (signal: AbortSignal) => Promise<unknown>;
}

/** These do not pass by themselves. The node is still asked now and then: it may have been mended. */
const LASTING: ReadonlySet<ErrorCode> = new Set([
  "deep_reorg",
  "chain_reset",
  "wrong_chain",
  "internal",
  "store_corrupt",
]);

const MAX_WAIT = 30_000;

/** Steps until the signal comes. Failures are waited out, longer each time; none of them ends the loop. */
export async function follow(options: FollowOptions): Promise<void> {
  const { store, indexer, signal, pollMilliseconds, onState, onIdle } = options;
  let failures = 0;
  let shown = "";
  let news = new AbortController();
  options.watch?.(() => news.abort());
  signal.addEventListener("abort", () => news.abort());
  // Until the node was looked at again, what was seen of it stands.
  let fork = await store.latest.forkedAt();
  const show = async (state: IndexerState) => {
    const text = JSON.stringify(state);
    const noted = `${text} ${fork}`;
    if (noted === shown) return;
    shown = noted;
    onState?.(state);
    // A full disk cannot take the note either; the reader then sees a tip that stands still.
    await store.setMeta({ indexer: text, fork: fork === undefined ? "" : String(fork) }).catch(() => {});
  };
  await show({ state: "running" });
  while (!signal.aborted) {
    // What is heard of from here on may not be in this step.
    news = new AbortController();
    try {
      const step = await indexer.step();
      options.onStep?.();
      failures = 0;
      fork = indexer.forkedAt;
      const { waitsFor: message } = indexer;
      await show(message === undefined ? { state: "running" } : { state: "waiting", message });
      if (step === "idle") await Promise.all([pause(pollMilliseconds, news.signal), onIdle?.(news.signal)]);
      if (step === "stale") await pause(pollMilliseconds, news.signal);
    } catch (error) {
      if (signal.aborted) break;
      const { code, message } = asChainError(error);
      if (error instanceof ForkError) fork = error.fork;
      await show({ state: LASTING.has(code) ? "stopped" : "waiting", code, message });
      await pause(Math.min(pollMilliseconds * 2 ** failures++, MAX_WAIT), signal);
    }
  }
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => {});
}
