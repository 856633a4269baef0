import { asChainError } from "../../chain/error.ts";
import type { Source } from "../../chain/source.ts";
import type { FetchedEvents } from "../../store/stages/stage.ts";
import type { TraceEvents } from "../../store/stages/traces/traceAppend.ts";
import { TRACES } from "../../store/stages/traces/traceStage.ts";
import type { Store } from "../../store/store.ts";
import { BackgroundFetch } from "../backgroundFetch.ts";
import { explainState } from "../missingHistory.ts";
import type { TraceTarget } from "./traceReader.ts";
import { TraceReader } from "./traceReader.ts";

/** Limits per commit. */
const BATCH_SIZE = { blocks: 32, calls: 20_000 };

/** Blocks traced concurrently. */
const CONCURRENT = 4;

interface Fetched {
  readonly blocks: readonly FetchedEvents<TraceEvents>[];
  readonly failure?: string;
}

interface TraceFollowerOptions {
  readonly store: Store;
  readonly source: Pick<Source, "request">;
  /** Called when the reason changes. */
  readonly onError?: (reason: string) => void;
  readonly now?: () => number;
}

/**
 * Advances the traces stage after the core. Tracing is slow or unsupported on some nodes, so traces are fetched in the
 * background and written when they arrive.
 */
export class TraceFollower {
  readonly #options: TraceFollowerOptions;
  readonly #reader: TraceReader;
  readonly #fetch: BackgroundFetch<Fetched>;
  #failure: string | undefined;

  constructor(options: TraceFollowerOptions) {
    this.#options = options;
    this.#reader = new TraceReader(options.source);
    this.#fetch = new BackgroundFetch(options.now ?? (() => performance.now()));
  }

  watch(listener: () => void): void {
    this.#fetch.watch(listener);
  }

  get isBusy(): boolean {
    return this.#fetch.isBusy;
  }

  /** Writes what has arrived, and starts the next fetch if the core is idle. Never waits for a node. */
  async step(isIdle: boolean): Promise<void> {
    const fetched = this.#fetch.take();
    if (fetched !== undefined) await this.#write(fetched);
    if (!isIdle || !this.#fetch.isReady) return;
    const targets = await this.#nextBlocks();
    if (targets.length > 0) this.#fetch.begin(this.#trace(targets));
  }

  async settled(): Promise<void> {
    await this.#fetch.settled();
  }

  async #nextBlocks(): Promise<TraceTarget[]> {
    return this.#options.store.read(async ({ blocks, transactions, db }) => {
      const [first, tip, at] = [await blocks.first(), await blocks.tip(), await TRACES.tip(db)];
      if (first === undefined || tip === undefined) return [];
      const from = at === undefined ? first.header.number : at.number + 1;
      const stored = from > tip.number ? [] : await blocks.range(from, BATCH_SIZE.blocks);
      const targets: TraceTarget[] = [];
      for (const { header, sums } of stored) {
        targets.push({ ...header, transactions: await transactions.hashesIn(header.number, sums.transactions) });
      }
      return targets;
    });
  }

  async #trace(targets: readonly TraceTarget[]): Promise<Fetched> {
    const blocks: FetchedEvents<TraceEvents>[] = [];
    let calls = 0;
    for (let at = 0; at < targets.length && calls < BATCH_SIZE.calls; at += CONCURRENT) {
      const some = targets.slice(at, at + CONCURRENT);
      const read = await Promise.allSettled(some.map((target) => this.#reader.read(target)));
      for (const [offset, { number, hash }] of some.entries()) {
        const result = read[offset]!;
        if (result.status === "rejected") {
          const reason = explainState(asChainError(result.reason).message);
          return { blocks, failure: `block ${number} is not traced: ${reason}` };
        }
        blocks.push({ number, hash, events: { transactions: result.value } });
        calls += TRACES.estimateRows({ transactions: result.value });
      }
    }
    return { blocks };
  }

  async #write({ blocks, failure }: Fetched): Promise<void> {
    const { store } = this.#options;
    const taken = blocks.length === 0 ? 0 : await store.extend(TRACES, blocks);
    if (taken > 0) this.#fetch.succeed();
    if (failure !== undefined) {
      this.#fetch.fail();
      await this.#note(failure);
    } else if (taken > 0) await this.#note(undefined);
  }

  async #note(failure: string | undefined): Promise<void> {
    if (failure === this.#failure) return;
    this.#failure = failure;
    if (failure !== undefined) this.#options.onError?.(failure);
    // A full disk cannot store the status; the stage is behind all the same.
    await this.#options.store.setMeta({ traces: JSON.stringify({ message: failure ?? null }) }).catch(() => {});
  }
}
