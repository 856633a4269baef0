import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Block } from "../../src/chain/block/block.ts";
import { Indexer } from "../../src/indexer/indexer.ts";
import { STAGES } from "../../src/indexer/stages.ts";
import { Upstream } from "../../src/source/upstream.ts";
import { openStore } from "../../src/store/openStore.ts";
import type { Store } from "../../src/store/store.ts";
import type { Measured } from "./measure.ts";
import { measure } from "./measure.ts";

/** An index of the first `blocks` blocks of a node, made in turns so that other work can be measured between them. */
export class Ingestion {
  readonly #blocks: number;
  readonly #directory: string;
  readonly #store: Store;
  readonly #source: GatedSource;
  readonly #end: Promise<void>;

  private constructor(blocks: number, directory: string, store: Store, source: GatedSource, tokens: boolean) {
    this.#blocks = blocks;
    this.#directory = directory;
    this.#store = store;
    this.#source = source;
    this.#end = this.#ingest(tokens);
  }

  static async begin(url: string, blocks: number, options: { tokens: boolean }): Promise<Ingestion> {
    const directory = mkdtempSync(join(tmpdir(), "oriel-bench-"));
    const store = await openStore(directory, 677);
    return new Ingestion(blocks, directory, store, new GatedSource({ url, chainId: 677 }), options.tokens);
  }

  async #ingest(tokens: boolean): Promise<void> {
    const indexer = new Indexer({
      store: this.#store,
      source: this.#source,
      integrity: "enforce",
      stages: tokens ? STAGES : [],
    });
    while ((await indexer.step()) !== "idle");
  }

  /** Indexes up to a block, which it leaves out, and measures what that took. */
  advance(to: number): Promise<Measured<void>> {
    return measure(async () => {
      await Promise.race([this.#source.passUntil(to), this.#end]);
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
    await this.#store.close();
    const bytes = statSync(join(this.#directory, "index.sqlite")).size;
    rmSync(this.#directory, { recursive: true });
    return { transactions: tip.totals.transactions, bytes };
  }
}

/** A source that gives no block at and above a boundary until that is moved. */
class GatedSource extends Upstream {
  #boundary = 0;
  #arrival = Promise.withResolvers<void>();
  readonly #waiting: (() => void)[] = [];

  override async blocks(from: number, count: number): Promise<Block[]> {
    while (from >= this.#boundary) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      this.#arrival.resolve();
      await promise;
    }
    return super.blocks(from, Math.min(count, this.#boundary - from));
  }

  /** Moves the boundary; answers when a block beyond it is asked for. */
  async passUntil(boundary: number): Promise<void> {
    this.#boundary = boundary;
    this.#arrival = Promise.withResolvers();
    for (const resolve of this.#waiting.splice(0)) resolve();
    await this.#arrival.promise;
  }
}

async function untilIdle(): Promise<void> {
  for (;;) {
    const before = performance.eventLoopUtilization();
    await delay(60);
    if (performance.eventLoopUtilization(before).utilization < 0.1) return;
  }
}
