import { join } from "node:path";
import type { Block } from "../../src/chain/block/block.ts";
import { JoinedBlocks } from "../../src/indexer/batch.ts";
import { Committer } from "../../src/indexer/commit.ts";
import { STAGES } from "../../src/indexer/stages.ts";
import { databasesAt } from "../../src/store/engine/databases.ts";
import { prepareStore } from "../../src/store/openStore.ts";
import type { Store } from "../../src/store/store.ts";
import type { Spent } from "./meteredDatabase.ts";
import { MeteredDatabase, threadCpu } from "./meteredDatabase.ts";
import type { ReadsTaken } from "./readsBeside.ts";
import { ReadsBeside } from "./readsBeside.ts";
import { REALISTIC, SyntheticBlocks } from "./syntheticBlocks.ts";
import { WalIndex } from "./walIndex.ts";

/** A part of the blocks. Microseconds of CPU, bytes and pages are those of a transaction. */
export interface Window {
  readonly transactions: number;
  /** All threads, without what made the blocks. */
  readonly cpu: number;
  readonly lookups: number;
  readonly inserts: number;
  readonly commits: number;
  /** Helper threads: garbage collection, compilation, checkpoints. */
  readonly helpers: number;
  readonly statements: number;
  readonly bytes: number;
  /** Pages written to the WAL. */
  readonly pages: number;
  readonly longestCommitMs: number;
  readonly walMegabytes: number;
  readonly rssMegabytes: number;
  /** Of this thread: objects, and the bytes of arrays and buffers. */
  readonly heapMegabytes: number;
  readonly bufferMegabytes: number;
  /** Of reads in another thread. */
  readonly readP99Ms: number;
  readonly longestReadMs: number;
  /** The same without the time that the thread waited for a core. */
  readonly withCoreP99Ms: number;
  readonly longestWithCoreMs: number;
  /** Pages of each table that the last commit wrote, of the first part and the last. */
  readonly pagesByTable: ReadonlyMap<string, number> | undefined;
  /** Microseconds of CPU of a transaction. */
  readonly cpuByTable: ReadonlyMap<string, number>;
}

interface GrowthOptions {
  readonly directory: string;
  readonly transactions: number;
  readonly windows: number;
  readonly seed: number;
  readonly tokens: boolean;
}

/** No block is near enough to the head to be journaled or committed alone. */
const BELOW_HEAD = 100_000;

/**
 * Feeds a store with made blocks as the indexer does, without a node, JSON and checks, and measures parts of equal size.
 * `onWindow` is told of each as it ends. Returns the store, which is still open.
 */
export async function growStore(options: GrowthOptions, onWindow: (window: Window) => void): Promise<Store> {
  const { directory, transactions, windows, seed, tokens } = options;
  const database = new MeteredDatabase(await databasesAt(directory).open("index"));
  const store = await prepareStore(database, 677);
  const blocks = Math.ceil(transactions / REALISTIC.transactions);
  const maker = new BlockMaker(seed, blocks + 1);
  const wal = new WalIndex(join(directory, "index.sqlite"));
  const observer = new Observer(database, maker, wal);
  const noSource = { authoritative: true, hashes: async () => [] };
  const head = blocks + BELOW_HEAD;
  const reads = new ReadsBeside(directory, seed);
  let next = 1;
  maker.between = async (indexed) => {
    const done = Math.floor((indexed / transactions) * windows);
    if (done < next) return;
    const isEnd = next === 1 || done >= windows;
    next = done + 1;
    onWindow(observer.take(indexed, await reads.take(), isEnd));
  };
  const onCommit = ({ totals }: { readonly totals: { readonly transactions: number } }) => {
    observer.observe();
    maker.indexed = totals.transactions;
  };
  await new Committer({ store, stages: tokens ? STAGES : [] }).commit(
    new JoinedBlocks(maker.blocks(), undefined, noSource),
    { check: async (block) => block, notes: () => ({}) },
    { head, journal: { head, blocks: 256 } },
    onCommit,
  );
  await maker.between(maker.indexed);
  await reads.stop();
  wal.close();
  return store;
}

class BlockMaker {
  readonly #made: SyntheticBlocks;
  readonly #count: number;
  /** Microseconds of CPU so far. */
  cpu = 0;
  /** Transactions that are committed. */
  indexed = 0;
  /** Called between commits. */
  between: (indexed: number) => Promise<void> = async () => {};

  constructor(seed: number, count: number) {
    this.#made = new SyntheticBlocks(seed, REALISTIC, false);
    this.#count = count;
  }

  async *blocks(): AsyncGenerator<Block[]> {
    for (let at = 0; at < this.#count; at++) {
      await this.between(this.indexed);
      const before = threadCpu();
      const block = this.#made.nextBlock();
      this.cpu += threadCpu() - before;
      yield [block];
    }
  }
}

interface Total extends Spent {
  readonly cpu: number;
  readonly helpers: number;
  readonly bytes: number;
  readonly pages: number;
}

class Observer {
  readonly #database: MeteredDatabase;
  readonly #maker: BlockMaker;
  readonly #wal: WalIndex;
  #before: Total;
  #transactions = 0;
  #walBytes = 0;
  #rss = 0;

  constructor(database: MeteredDatabase, maker: BlockMaker, wal: WalIndex) {
    this.#database = database;
    this.#maker = maker;
    this.#wal = wal;
    this.#before = this.#total(0);
  }

  /** After each commit. */
  observe(): void {
    this.#wal.observe();
    this.#walBytes = Math.max(this.#walBytes, this.#wal.logBytes);
    this.#rss = Math.max(this.#rss, process.memoryUsage.rss());
  }

  /** Figures per transaction since the last window. */
  take(transactions: number, reads: ReadsTaken, isEnd: boolean): Window {
    const [before, after] = [this.#before, this.#total(reads.cpu)];
    const count = transactions - this.#transactions;
    const each = (name: keyof Total) => (after[name] - before[name]) / count;
    const window = {
      transactions,
      cpu: each("cpu"),
      lookups: each("lookups"),
      inserts: each("inserts"),
      commits: each("commits"),
      helpers: each("helpers"),
      statements: each("statements"),
      bytes: each("bytes"),
      pages: each("pages"),
      longestCommitMs: this.#database.takeLongestCommit(),
      walMegabytes: this.#walBytes / 2 ** 20,
      rssMegabytes: this.#rss / 2 ** 20,
      heapMegabytes: process.memoryUsage().heapTotal / 2 ** 20,
      bufferMegabytes: process.memoryUsage().arrayBuffers / 2 ** 20,
      readP99Ms: reads.p99Ms,
      longestReadMs: reads.longestMs,
      withCoreP99Ms: reads.withCoreP99Ms,
      longestWithCoreMs: reads.longestWithCoreMs,
      cpuByTable: new Map([...this.#database.takeByTable()].map(([table, cpu]) => [table, cpu / count])),
      pagesByTable: isEnd ? this.#wal.newestByTable() : undefined,
    };
    [this.#before, this.#transactions, this.#walBytes, this.#rss] = [this.#total(reads.cpu), transactions, 0, 0];
    return window;
  }

  /** `others` is the CPU of threads that are not counted. */
  #total(others: number): Total {
    const { user, system } = process.cpuUsage();
    const all = user + system - others;
    return {
      ...this.#database.spent,
      cpu: all - this.#maker.cpu,
      helpers: all - threadCpu(),
      bytes: this.#wal.databaseBytes,
      pages: this.#wal.frames,
    };
  }
}
