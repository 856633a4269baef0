import { setTimeout as delay } from "node:timers/promises";
import type { ErrorCode } from "../chain/error.ts";
import { asChainError } from "../chain/error.ts";
import type { Store } from "../store/store.ts";
import { ForkError } from "./ancestor.ts";
import type { Indexer } from "./indexer.ts";

/** Indexer status, stored for the serving processes. */
export interface IndexerState {
  readonly state: "running" | "waiting" | "stopped";
  readonly code?: ErrorCode;
  readonly message?: string;
}

interface FollowOptions {
  readonly store: Store;
  readonly indexer: Indexer;
  readonly signal: AbortSignal;
  readonly pollMilliseconds: number;
  readonly watch?: (listener: () => void) => void;
  readonly onState?: (state: IndexerState) => void;
  readonly onStep?: () => void;
  /** Runs while waiting at the head; delays the next block. Must stop with the signal and not throw. */
  readonly onIdle?: (signal: AbortSignal) => Promise<unknown>;
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** Errors that need intervention. Retried occasionally all the same. */
const LASTING: ReadonlySet<ErrorCode> = new Set([
  "deep_reorg",
  "chain_reset",
  "wrong_chain",
  "internal",
  "store_corrupt",
]);

const MAX_WAIT = 30_000;

/** A server that restarts is back within seconds. */
const MAX_STORE_WAIT = 2000;

/** Runs steps until aborted. Failures are retried with backoff; only a store that changed under its writer ends the loop. */
export async function follow(options: FollowOptions): Promise<void> {
  const { store, indexer, signal, pollMilliseconds, onState, onIdle, pause = sleep } = options;
  let failures = 0;
  let shown = "";
  let wakeUp = new AbortController();
  options.watch?.(() => wakeUp.abort());
  signal.addEventListener("abort", () => wakeUp.abort());
  // The stored fork stays valid until the node is checked again.
  let fork = await store.latest.forkedAt();
  const show = async (state: IndexerState) => {
    const text = JSON.stringify(state);
    const noted = `${text} ${fork}`;
    if (noted === shown) return;
    shown = noted;
    onState?.(state);
    // A full disk cannot store the status either; readers then see a tip that stands still.
    await store.setMeta({ indexer: text, fork: fork === undefined ? "" : String(fork) }).catch(() => {});
  };
  await show({ state: "running" });
  while (!signal.aborted) {
    // Announcements from here on may not be covered by this step.
    wakeUp = new AbortController();
    try {
      const step = await indexer.step();
      options.onStep?.();
      failures = 0;
      fork = indexer.forkedAt;
      const { waitsFor: message } = indexer;
      await show(message === undefined ? { state: "running" } : { state: "waiting", message });
      if (step === "idle") await Promise.all([pause(pollMilliseconds, wakeUp.signal), onIdle?.(wakeUp.signal)]);
      if (step === "stale") await pause(pollMilliseconds, wakeUp.signal);
    } catch (error) {
      if (signal.aborted) break;
      const { code, message } = asChainError(error);
      if (code === "store_changed") throw error;
      if (error instanceof ForkError) fork = error.fork;
      await show({ state: LASTING.has(code) ? "stopped" : "waiting", code, message });
      const longest = code === "store_unavailable" ? MAX_STORE_WAIT : MAX_WAIT;
      await pause(Math.min(pollMilliseconds * 2 ** failures++, longest), signal);
    }
  }
}

async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => {});
}
