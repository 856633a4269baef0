import { setImmediate } from "node:timers/promises";
import type { Block } from "../chain/block/block.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import { ChainError } from "../chain/error.ts";
import { settleAll } from "../std/async.ts";
import type { KeyedHash } from "./dictionary/keyedHash.ts";
import type { Database, Fence, Reader, Row, Transact, Writer } from "./engine/database.ts";
import { NO_FENCE, releaseLock } from "./engine/database.ts";
import { KeyMerges } from "./keys/keyMerges.ts";
import type { RunSizes } from "./keys/keyTable.ts";
import { receiptLogsOf } from "./read/blockLogs.ts";
import type { Tip } from "./read/blocks.ts";
import type { Totals } from "./rows/blockBody.ts";
import { mustHave } from "./rows/encoding.ts";
import { Reads } from "./session.ts";
import { PoolObservations } from "./stages/exchange/observe/poolObservations.ts";
import { NativeBalances } from "./stages/native/nativeBalances.ts";
import type { FetchedEvents, Stage, StageAppender, StageFeed, StageTables, StageTip } from "./stages/stage.ts";
import { TokenObservations } from "./stages/tokens/tables/observations.ts";
import { STAGES } from "./stages.ts";
import { StoreReader } from "./storeReader.ts";
import { CoreTables } from "./tables/coreTables.ts";
import { lowerBound } from "./tables/lowerBound.ts";
import { Appender } from "./write/append.ts";
import { unwindTo } from "./write/unwind.ts";

/** Unwindable blocks: at least and at most; in between, all that are not finalized. */
export const JOURNALED_BLOCKS = { min: 256, max: 8192 };

/** Rows after which a derivation commits. */
const DERIVED_ROWS = 100_000;

/** Transactions and logs unwound per step. */
const UNWIND_BATCH_SIZE = 100_000;

const CORE = { name: "core", version: 1 };

interface BatchOptions {
  /** Newest block of the source. */
  readonly head: number;
  /** Blocks below the head to journal. */
  readonly journaled?: number;
  readonly stages?: readonly StageFeed[];
}

/** Verified blocks, committed atomically. */
export interface Batch {
  /** Converts the next blocks to rows in memory and empties the array. */
  add(blocks: Block[]): Promise<void>;
  /** Writes all rows in one transaction. Returns the new tip. */
  commit(meta?: Readonly<Record<string, string>>): Promise<Tip>;
}

/** The index of a chain for its single writing process. */
export class Store extends StoreReader {
  readonly observations: TokenObservations;
  readonly poolObservations: PoolObservations;
  readonly nativeBalances: NativeBalances;
  readonly #database: Database;
  readonly #hash: KeyedHash;
  readonly #fence: Fence;
  readonly #tables: CoreTables;
  readonly #stages: ReadonlyMap<Stage, StageTables>;
  /** Uncommitted rows are in memory. */
  #isPending = false;
  /** As of the last commit of a batch; undefined if something else was written since. */
  #tips: Tips | undefined;

  /** The store releases a fence that is a lock. */
  constructor(database: Database, hash: KeyedHash, fence: Fence = NO_FENCE, runSizes?: RunSizes) {
    super(database, hash);
    this.#database = database;
    this.#hash = hash;
    this.#fence = fence;
    const transact: Transact = (work) => this.#transact(work);
    this.observations = new TokenObservations(transact);
    this.poolObservations = new PoolObservations(transact);
    this.nativeBalances = new NativeBalances(transact);
    this.#tables = new CoreTables(hash, new KeyMerges(runSizes));
    this.#stages = new Map(STAGES.map((stage) => [stage, stage.open(this.#tables, hash)]));
  }

  /** Factor by which commits of backfill are larger than usual. */
  get batchFactor(): number {
    return this.#database.dialect.batchFactor;
  }

  async begin({ head, journaled = JOURNALED_BLOCKS.min, stages = [] }: BatchOptions): Promise<Batch> {
    this.#discardPending();
    const tips = await this.#readTips(stages);
    const journalFrom = head - journaled + 1;
    const core = new Appender(this.#tables, tips.core, journalFrom);
    const appending = this.#beginStages(stages, tips, journalFrom);
    let first: number | undefined;
    return {
      add: (blocks) => {
        first ??= blocks[0]?.header.number;
        this.#isPending = true;
        return this.#resetOnError(() => this.#database.batch((db) => addBlocks(db, blocks, core, appending)));
      },
      commit: async (meta = {}) => {
        const tip = mustHave(core.tip, "a block to append");
        await this.#append(async (writer) => {
          await settleAll([
            core.finish(writer),
            ...appending.map(({ stage, appender }) => this.#finishStage(writer, stage, appender)),
            this.#pruneJournal(writer, first ?? tip.number, tip.number, { journalFrom, journaled }),
          ]);
          await writeMeta(writer, meta);
          await setCursor(writer, CORE, tip);
          this.#isPending = false;
        });
        this.#tips = { core: tip, stages: new Map(appending.map(({ stage, appender }) => [stage, appender.tip])) };
        return tip;
      },
    };
  }

  /** The writer is alone, so what it committed last is what it would read. */
  async #readTips(feeds: readonly StageFeed[]): Promise<Tips> {
    const known = this.#tips;
    if (known !== undefined && feeds.every(({ stage }) => known.stages.has(stage))) return known;
    const [core, stages] = await settleAll([
      this.latest.blocks.tip(),
      settleAll(feeds.map(({ stage }) => stage.tip(this.#database))),
    ]);
    return { core, stages: new Map(feeds.map(({ stage }, at) => [stage, stages[at]])) };
  }

  async append({ blocks, ...options }: BatchOptions & { readonly blocks: readonly Block[] }): Promise<Tip> {
    const batch = await this.begin(options);
    await batch.add([...blocks]);
    return batch.commit();
  }

  /**
   * Derives up to `count` blocks of a stage from stored rows, fewer if they have many events. Returns the remaining
   * blocks.
   */
  async derive({ stage, events }: StageFeed, count: number, maxRows = DERIVED_ROWS): Promise<number> {
    this.#discardPending();
    return this.#append(async (writer) => {
      await this.#clearOther(writer, stage);
      const reads = this.#reads(writer);
      const [core, at] = [await reads.blocks.tip(), await stage.tip(writer)];
      const first = (await reads.blocks.first())?.header.number;
      if (core === undefined || first === undefined) return 0;
      const from = at === undefined ? first : at.number + 1;
      const to = Math.min(core.number, from + count - 1);
      const journalFrom = await reads.oldestUnwindable();
      const appender = this.#tablesOf(stage).append(at, { journalFrom, firstNew: Number.MAX_SAFE_INTEGER });
      let number = from;
      for (let left = maxRows; number <= to && left > 0; number++) {
        const found = events({ receipts: await receiptLogsOf(writer, number) });
        left -= stage.estimateRows(found);
        await appender.add(writer, [{ number, ...found }]);
      }
      await this.#finishStage(writer, stage, appender);
      return core.number - number + 1;
    });
  }

  /**
   * Extends a stage with fetched events. Stops at the first block that is not canonical. Returns how many were applied.
   */
  extend<E extends object>(stage: Stage<E>, blocks: readonly FetchedEvents<E>[]): Promise<number> {
    this.#discardPending();
    return this.#append(async (writer) => {
      await this.#clearOther(writer, stage);
      const reads = this.#reads(writer);
      const at = await stage.tip(writer);
      const journalFrom = await reads.oldestUnwindable();
      const appender = this.#tablesOf(stage).append(at, { journalFrom, firstNew: Number.MAX_SAFE_INTEGER });
      let next = at === undefined ? (await reads.blocks.first())?.header.number : at.number + 1;
      let taken = 0;
      for (const { number, hash, events } of blocks) {
        const ours = number === next ? await reads.blocks.byNumber(number) : undefined;
        if (ours === undefined || !equalBytes(ours.header.hash, hash)) break;
        await appender.add(writer, [{ number, ...events }]);
        next = number + 1;
        taken++;
      }
      await this.#finishStage(writer, stage, appender);
      return taken;
    });
  }

  /** Drops rows of another stage version. */
  async #clearOther(writer: Writer, stage: Stage): Promise<void> {
    const [row] = await writer.all("SELECT version FROM stage WHERE name = ?", stage.name);
    if (row !== undefined && row[0] !== stage.version) await this.#clearStage(writer, stage);
  }

  async #clearStage(writer: Writer, stage: Stage): Promise<void> {
    await stage.clear(writer);
    await writer.run("DELETE FROM stage WHERE name = ?", stage.name);
    this.#tablesOf(stage).clear();
  }

  /** A stage that is level with the core commits with it; others are derived. */
  #beginStages(feeds: readonly StageFeed[], { core, stages }: Tips, journalFrom: number): AppendingStage[] {
    const firstNew = (core?.totals.addresses ?? 0) + 1;
    const appending: AppendingStage[] = [];
    for (const { stage, events } of feeds) {
      const at = stages.get(stage);
      if (at?.number !== core?.number) continue;
      appending.push({ stage, events, appender: this.#tablesOf(stage).append(at, { journalFrom, firstNew }) });
    }
    return appending;
  }

  async #finishStage(writer: Writer, stage: Stage, appender: StageAppender<object>): Promise<void> {
    await appender.finish(writer);
    if (appender.tip !== undefined) await setCursor(writer, stage, appender.tip);
  }

  #tablesOf(stage: Stage): StageTables {
    const tables = this.#stages.get(stage);
    if (tables === undefined) throw new ChainError("internal", `the store has no stage ${stage.name}`);
    return tables;
  }

  /** Removes every block above `number`, which must be indexed. */
  async unwind(number: number): Promise<Tip> {
    this.#discardPending();
    this.#tips = undefined;
    return this.#write(async (writer) => {
      const reads = this.#reads(writer);
      const tip = await reads.blocks.tipAt(number);
      if (tip === undefined) throw new ChainError("internal", `block ${number} is not indexed`);
      const journalFrom = await reads.oldestUnwindable();
      if (number + 1 < journalFrom) {
        throw new ChainError("deep_reorg", `blocks below ${journalFrom} can no longer be unwound`);
      }
      await this.#unwindInParts(writer, number);
      await setCursor(writer, CORE, tip);
      return tip;
    });
  }

  /** From the top, which bounds memory by batch rather than depth. */
  async #unwindInParts(writer: Writer, number: number): Promise<void> {
    const { blocks } = this.#reads(writer);
    for (let top = (await blocks.tip())!; top.number > number; ) {
      const [bottom = number] = await lowerBound(
        [rowsOf(top.totals) - UNWIND_BATCH_SIZE],
        [number, top.number - 1],
        (candidates) => blocks.totals(candidates),
        (totals, min, candidate) => rowsOf(mustHave(totals, `block ${candidate}`)) >= min,
      );
      const tip = (await blocks.tipAt(bottom))!;
      for (const stage of this.#stages.keys()) await this.#unwindStage(writer, stage, bottom);
      await unwindTo(writer, this.#tables, tip);
      top = tip;
    }
  }

  /** A stage that started above the block starts over. */
  async #unwindStage(writer: Writer, stage: Stage, number: number): Promise<void> {
    const [newest, tip] = [await stage.tip(writer), await stage.tip(writer, number)];
    if (newest === undefined || newest.number <= number) return;
    if (tip === undefined) {
      await this.#clearStage(writer, stage);
      return;
    }
    await this.#tablesOf(stage).unwind(writer, tip);
    await setCursor(writer, stage, tip);
  }

  /** Removes journals that are too old; blocks below `journalFrom` have none. */
  async #pruneJournal(
    writer: Writer,
    first: number,
    tip: number,
    { journalFrom, journaled }: { journalFrom: number; journaled: number },
  ): Promise<void> {
    const gap = first < journalFrom ? Math.min(journalFrom, tip + 1) : 0;
    const oldest = Math.max(await this.#reads(writer).oldestUnwindable(), gap, tip - journaled + 1);
    const tables = ["journal", ...[...this.#stages.keys()].flatMap(({ journals }) => journals)];
    for (const table of tables) await writer.run(`DELETE FROM ${table} WHERE block < ?`, oldest);
    await writeMeta(writer, { journal_from: String(oldest) });
  }

  async setMeta(values: Readonly<Record<string, string>>): Promise<void> {
    await this.#transact((writer) => writeMeta(writer, values));
  }

  /** For a development chain that restarted: keeps the chain id and the indexer's status. */
  async clear(): Promise<void> {
    await this.#write(async (writer) => {
      const tables = (await writer.tables()).filter((table) => table !== "meta");
      for (const table of tables) await writer.run(`DELETE FROM ${table}`);
      await writer.run(
        "DELETE FROM meta WHERE name NOT IN ('schema', 'schema_digest', 'chain_id', 'hash_secret', 'indexer')",
      );
      this.#forget();
    });
  }

  override async close(): Promise<void> {
    await super.close();
    await releaseLock(this.#fence);
  }

  #reads(writer: Writer): Reads {
    return new Reads(writer, this.#hash);
  }

  #transact<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    return this.#database.transaction(this.#fence, work);
  }

  #write<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    return this.#resetOnError(() => this.#transact(work));
  }

  /**
   * Merges keys of earlier commits first, each piece in a transaction of its own, so that others have their turn between
   * them. After the commit the write-ahead log would not come to rest, and grow.
   */
  async #append<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    this.#tips = undefined;
    const { merges } = this.#tables;
    while (merges.areOwed) {
      await this.#write((writer) => merges.mergePiece(writer));
      await setImmediate();
    }
    return this.#write(work);
  }

  /** Drops in-memory state after a failed write. */
  async #resetOnError<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  #discardPending(): void {
    if (this.#isPending) this.#forget();
  }

  #forget(): void {
    this.#isPending = false;
    this.#tips = undefined;
    this.#tables.clear();
    for (const tables of this.#stages.values()) tables.clear();
  }
}

function writeMeta(writer: Writer, values: Readonly<Record<string, string>>): Promise<void> {
  return writer.upsert("meta", ["name", "value"], Object.entries(values));
}

function setCursor(writer: Writer, { name, version }: Pick<Stage, "name" | "version">, tip: StageTip): Promise<void> {
  const row: Row = [name, version, tip.number, tip.digest];
  return writer.upsert("stage", ["name", "version", "block", "digest"], [row]);
}

function rowsOf({ transactions, logs }: Totals): number {
  return transactions + logs;
}

/** Newest blocks of the core and of stages. */
interface Tips {
  readonly core: Tip | undefined;
  readonly stages: ReadonlyMap<Stage, StageTip | undefined>;
}

interface AppendingStage extends StageFeed {
  readonly appender: StageAppender<object>;
}

/** Empties the array as soon as it can, so that a large block is not held beside its rows. */
async function addBlocks(
  db: Reader,
  blocks: Block[],
  core: Appender,
  stages: readonly AppendingStage[],
): Promise<void> {
  const found = stages.map(({ events }) => blocks.map((block) => ({ number: block.header.number, ...events(block) })));
  const ids = await core.resolve(db, blocks);
  const addToCore = async () => {
    await core.add(db, blocks, ids);
    blocks.length = 0;
  };
  await settleAll([addToCore(), ...stages.map(({ appender }, at) => appender.add(db, found[at] ?? []))]);
}
