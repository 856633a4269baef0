import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { asChainError } from "../chain/error.ts";
import type { Activity } from "../query/activity.ts";
import type { LockToken, WriteLock } from "../store/engine/database.ts";
import { lockStore, openLockedStore } from "../store/openStore.ts";
import type { IndexerThread } from "./indexerThread.ts";
import type { ProgressLine } from "./progress.ts";

/** Name of this process, shown to others. */
export const PROCESS_NAME = `${hostname()}:${process.pid}`;

const RETRY_INTERVAL = 2000;

export interface IndexedBlocks {
  readonly first: number;
  readonly newest: number;
}

interface IndexingOptions {
  readonly storeUrl: string;
  readonly chainId: number;
  /** Whether it waits for another process that writes; otherwise it is refused. */
  readonly canStandBy: boolean;
  readonly createThread: (token: LockToken | undefined) => IndexerThread;
  readonly activity: Activity;
  readonly progress: ProgressLine;
}

/** Writes the index while this process holds its lock, and stands by while another does. */
export class Indexing {
  readonly #options: IndexingOptions;
  readonly #stopping = new AbortController();
  #locking: Promise<WriteLock> | undefined;
  #lock: WriteLock | undefined;
  #thread: IndexerThread | undefined;
  #following: Promise<void> = Promise.resolve();

  constructor(options: IndexingOptions) {
    this.#options = options;
  }

  /** Takes the lock and prepares the index. Returns what is indexed; undefined if another process writes it. */
  async prepare(): Promise<IndexedBlocks | undefined> {
    const waits = Promise.withResolvers<undefined>();
    this.#locking = this.#acquire(() => waits.resolve(undefined));
    this.#lock = await Promise.race([this.#locking, waits.promise]);
    return this.#lock && this.#prepareIndex(this.#lock);
  }

  async follow(): Promise<void> {
    if (this.#lock !== undefined) await this.#start(this.#lock);
    this.#following = this.#takeTurns();
  }

  get thread(): IndexerThread | undefined {
    return this.#thread;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
    await this.#thread?.stop();
    await this.#lock?.release();
    if (this.#lock === undefined) await this.#locking?.then((lock) => lock.release()).catch(() => {});
  }

  #acquire(onWait: () => void): Promise<WriteLock> {
    const { storeUrl, canStandBy, progress, activity } = this.#options;
    const standby = {
      signal: this.#stopping.signal,
      onWait: (holder: string) => {
        progress.line(`${holder} writes the index; this process stands by`);
        activity.role = "standby";
        onWait();
      },
    };
    const locking = lockStore(storeUrl, { name: PROCESS_NAME, ...(canStandBy && { standby }) });
    // Whoever awaits it receives the error.
    locking.catch(() => {});
    return locking;
  }

  async #start(lock: WriteLock): Promise<void> {
    const { createThread, activity } = this.#options;
    this.#thread = createThread(lock.token);
    activity.role = "writer";
    activity.started("indexer");
    await this.#thread.start();
  }

  async #takeTurns(): Promise<void> {
    const { signal } = this.#stopping;
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve());
    });
    while (!signal.aborted) {
      if (this.#lock !== undefined) {
        await Promise.race([this.#lock.lost, stopped]);
        if (!signal.aborted) await this.#giveUp(this.#lock);
      } else {
        await this.#takeOver();
      }
    }
  }

  async #giveUp(lock: WriteLock): Promise<void> {
    const { activity } = this.#options;
    await this.#thread?.abandon();
    activity.left("indexer");
    this.#thread = undefined;
    this.#lock = undefined;
    await lock.release();
    this.#locking = this.#acquire(() => {});
  }

  async #takeOver(): Promise<void> {
    const { progress } = this.#options;
    let lock: WriteLock | undefined;
    try {
      lock = await this.#locking!;
      await this.#prepareIndex(lock);
      if (this.#stopping.signal.aborted) return;
      progress.line("this process writes the index now");
      await this.#start(lock);
      this.#lock = lock;
    } catch (error) {
      await lock?.release();
      if (this.#stopping.signal.aborted) return;
      progress.line(`the index cannot be written for now: ${asChainError(error).message}`);
      await delay(RETRY_INTERVAL, undefined, { signal: this.#stopping.signal }).catch(() => {});
      this.#locking = this.#acquire(() => {});
    }
  }

  /** Creates or migrates the index. */
  async #prepareIndex({ token }: WriteLock): Promise<IndexedBlocks | undefined> {
    const store = await openLockedStore(this.#options.storeUrl, this.#options.chainId, token);
    try {
      const { blocks } = store.latest;
      const [first, tip] = [await blocks.first(), await blocks.tip()];
      return first && tip && { first: first.header.number, newest: tip.number };
    } finally {
      await store.close();
    }
  }
}
