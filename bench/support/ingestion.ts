import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Block } from "../../src/chain/block/block.ts";
import type { Source } from "../../src/chain/source.ts";
import { Indexer } from "../../src/indexer/indexer.ts";
import { STAGES } from "../../src/indexer/stages.ts";
import { BackfillThread } from "../../src/source/backfill/backfillThread.ts";
import type { UpstreamOptions } from "../../src/source/upstream.ts";
import { Upstream } from "../../src/source/upstream.ts";
import { openStore } from "../../src/store/openStore.ts";
import type { Store } from "../../src/store/store.ts";
import type { Measured } from "./measure.ts";
import { measure } from "./measure.ts";

const CHAIN_ID = 677;

export interface IngestionOptions {
  readonly tokens: boolean;
  /** Fetches and decodes in a thread of its own, as the program does where it has two cores. */
  readonly threaded?: boolean;
}

/** An index of the first `blocks` blocks of a node, made in turns so that other work can be measured between them. */
export class Ingestion {
  readonly #blocks: number;
  readonly #directory: string;
  readonly #store: Store;
  readonly #source: Upstream;
  readonly #thread: BackfillThread | undefined;
  readonly #gate = new Gate();
  readonly #end: Promise<void>;

  private constructor(url: string, blocks: number, directory: string, store: Store, options: IngestionOptions) {
    this.#blocks = blocks;
    this.#directory = directory;
    this.#store = store;
    this.#source = new GatedSource({ url, chainId: CHAIN_ID }, this.#gate);
    if (options.threaded) this.#thread = new BackfillThread({ urls: [url], chainId: CHAIN_ID }, this.#source);
    this.#end = this.#ingest(options.tokens);
  }

  static async begin(url: string, blocks: number, options: IngestionOptions): Promise<Ingestion> {
    const directory = mkdtempSync(join(tmpdir(), "oriel-bench-"));
    const store = await openStore(directory, CHAIN_ID);
    return new Ingestion(url, blocks, directory, store, options);
  }

  async #ingest(tokens: boolean): Promise<void> {
    const indexer = new Indexer({
      store: this.#store,
      source: this.#source,
      backfill: this.#thread && this.#gate.before(this.#thread),
      integrity: "enforce",
      stages: tokens ? STAGES : [],
    });
    while ((await indexer.step()) !== "idle");
  }

  /** Indexes up to a block, which it leaves out, and measures what that took. */
  advance(to: number): Promise<Measured<void>> {
    return measure(async () => {
      await Promise.race([this.#gate.passUntil(to), this.#end]);
      if (to === this.#blocks) await this.#end;
      await untilIdle();
    });
  }

  /** Closes the index and answers what became of it. */
  async finish(): Promise<{ transactions: number; bytes: number }> {
    await this.#end;
    const tip = (await this.#store.latest.blocks.tip())!;
    if (tip.number !== this.#blocks - 1) throw new Error(`indexed ${tip.number} of ${this.#blocks - 1}`);
    await this.#source.close();
    await this.#thread?.close();
    await this.#store.close();
    const bytes = statSync(join(this.#directory, "index.sqlite")).size;
    rmSync(this.#directory, { recursive: true });
    return { transactions: tip.totals.transactions, bytes };
  }
}

type Blocks = Pick<Source, "blocks">;

/** Lets no block at and above a boundary through until that is moved. */
class Gate {
  #boundary = 0;
  #arrival = Promise.withResolvers<void>();
  readonly #waiting: (() => void)[] = [];

  before(source: Blocks): Blocks {
    return { blocks: async (from, count) => source.blocks(from, await this.pass(from, count)) };
  }

  /** How many of the blocks there are below the boundary, once there is one. */
  async pass(from: number, count: number): Promise<number> {
    while (from >= this.#boundary) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      this.#arrival.resolve();
      await promise;
    }
    return Math.min(count, this.#boundary - from);
  }

  /** Moves the boundary; answers when a block beyond it is asked for. */
  async passUntil(boundary: number): Promise<void> {
    this.#boundary = boundary;
    this.#arrival = Promise.withResolvers();
    for (const resolve of this.#waiting.splice(0)) resolve();
    await this.#arrival.promise;
  }
}

class GatedSource extends Upstream {
  readonly #gate: Gate;

  constructor(options: UpstreamOptions, gate: Gate) {
    super(options);
    this.#gate = gate;
  }

  override async blocks(from: number, count: number): Promise<Block[]> {
    return super.blocks(from, await this.#gate.pass(from, count));
  }
}

async function untilIdle(): Promise<void> {
  for (;;) {
    const before = performance.eventLoopUtilization();
    await delay(60);
    if (performance.eventLoopUtilization(before).utilization < 0.1) return;
  }
}
