import type { Block } from "../chain/block/block.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import { ChainError } from "../chain/error.ts";
import type { KeyedHash } from "./dictionary/keyedHash.ts";
import type { Database, Reader, Row, Transact, WriteLock, Writer } from "./engine/database.ts";
import { NO_FENCE } from "./engine/database.ts";
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

/** Blocks that can be taken back, at least and at most: between the two, as many as the node does not call finalized. */
export const JOURNALED_BLOCKS = { least: 256, most: 8192 };

/** Rows of a stage after which a derivation commits what it has. */
const DERIVED_ROWS = 100_000;

/** Transactions and logs that are taken back at once. */
const UNWIND_BATCH_SIZE = 100_000;

const CORE = { name: "core", version: 1 };

export interface BatchOptions {
  /** The newest block the source knows. */
  readonly head: number;
  /** How many blocks up to the head are journaled, so that they can be unwound. */
  readonly journaled?: number;
  /** The stages that go with the core, where they are as far. */
  readonly stages?: readonly StageFeed[];
}

/** Checked blocks that are stored together or not at all. */
export interface Batch {
  /** Turns the next blocks, which must join on, into rows in memory, and empties the array. */
  add(blocks: Block[]): Promise<void>;
  /** Writes the rows in one transaction, which waits for nothing but the database. Answers the new tip. */
  commit(meta?: Readonly<Record<string, string>>): Promise<Tip>;
}

/** The index of one chain, for the one process that writes it. */
export class Store extends StoreReader {
  readonly observations: TokenObservations;
  readonly poolObservations: PoolObservations;
  readonly nativeBalances: NativeBalances;
  readonly #database: Database;
  readonly #hash: KeyedHash;
  readonly #lock: WriteLock | undefined;
  readonly #tables: CoreTables;
  readonly #stages: ReadonlyMap<Stage, StageTables>;
  /** Rows of a batch are in memory that is not committed yet. */
  #isPending = false;

  /** Of a database that is prepared; a lock that is given ends with the store. */
  constructor(database: Database, hash: KeyedHash, lock?: WriteLock) {
    super(database, hash);
    this.#database = database;
    this.#hash = hash;
    this.#lock = lock;
    const transact: Transact = (work) => this.#transact(work);
    this.observations = new TokenObservations(transact);
    this.poolObservations = new PoolObservations(transact);
    this.nativeBalances = new NativeBalances(transact);
    this.#tables = new CoreTables(hash);
    this.#stages = new Map(STAGES.map((stage) => [stage, stage.open(this.#tables, hash)]));
  }

  /** Begins a batch on the tip. One that was not committed before the chain is written otherwise is lost. */
  async begin({ head, journaled = JOURNALED_BLOCKS.least, stages = [] }: BatchOptions): Promise<Batch> {
    this.#leavePending();
    const before = await this.latest.blocks.tip();
    const journalFrom = head - journaled + 1;
    const core = new Appender(this.#tables, before, journalFrom);
    const appending = await this.#beginStages(stages, before, journalFrom);
    let first: number | undefined;
    return {
      add: (blocks) => {
        first ??= blocks[0]?.header.number;
        this.#isPending = true;
        return this.#orForget(() => addBlocks(this.#database, blocks, core, appending));
      },
      commit: (meta = {}) =>
        this.#write(async (writer) => {
          await core.finish(writer);
          const tip = mustHave(core.tip, "a block to append");
          for (const { stage, appender } of appending) await this.#finishStage(writer, stage, appender);
          await this.#pruneJournal(writer, first ?? tip.number, tip.number, { journalFrom, journaled });
          await writeMeta(writer, meta);
          await setCursor(writer, CORE, tip);
          this.#isPending = false;
          return tip;
        }),
    };
  }

  /** Stores blocks as one batch. */
  async append({ blocks, ...options }: BatchOptions & { readonly blocks: readonly Block[] }): Promise<Tip> {
    const batch = await this.begin(options);
    await batch.add([...blocks]);
    return batch.commit();
  }

  /**
   * Brings a stage up to the core by up to `count` blocks from the rows we have, without the node, or by fewer that have
   * many events. Answers how many blocks are left.
   */
  async derive({ stage, events }: StageFeed, count: number, mostRows = DERIVED_ROWS): Promise<number> {
    this.#leavePending();
    return this.#write(async (writer) => {
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
      for (let left = mostRows; number <= to && left > 0; number++) {
        const found = events({ receipts: await receiptLogsOf(writer, number) });
        left -= stage.estimateRows(found);
        await appender.add(writer, [{ number, ...found }]);
      }
      await this.#finishStage(writer, stage, appender);
      return core.number - number + 1;
    });
  }

  /**
   * Brings a stage further with what was fetched for the blocks after its newest. Those that are ours no longer, and all
   * above them, are left out; answers how many were taken.
   */
  extend<E extends object>(stage: Stage<E>, blocks: readonly FetchedEvents<E>[]): Promise<number> {
    this.#leavePending();
    return this.#write(async (writer) => {
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

  /** What a stage of another version has kept is of no use to this one. */
  async #clearOther(writer: Writer, stage: Stage): Promise<void> {
    const [row] = await writer.all("SELECT version FROM stage WHERE name = ?", stage.name);
    if (row !== undefined && row[0] !== stage.version) await this.#clearStage(writer, stage);
  }

  async #clearStage(writer: Writer, stage: Stage): Promise<void> {
    await stage.clear(writer);
    await writer.run("DELETE FROM stage WHERE name = ?", stage.name);
    this.#tablesOf(stage).clear();
  }

  /** A stage goes with the core where it is as far; where it is behind, it is derived. */
  async #beginStages(
    feeds: readonly StageFeed[],
    core: Tip | undefined,
    journalFrom: number,
  ): Promise<AppendingStage[]> {
    const firstNew = (core?.totals.addresses ?? 0) + 1;
    const appending: AppendingStage[] = [];
    for (const { stage, events } of feeds) {
      const at = await stage.tip(this.#database);
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

  /** Takes back every block above `number`, which must be indexed. */
  async unwind(number: number): Promise<Tip> {
    this.#leavePending();
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

  /** From the top down, so that what is held in memory does not grow with the depth. */
  async #unwindInParts(writer: Writer, number: number): Promise<void> {
    const { blocks } = this.#reads(writer);
    for (let top = (await blocks.tip())!; top.number > number; ) {
      const [bottom = number] = await lowerBound(
        [rowsOf(top.totals) - UNWIND_BATCH_SIZE],
        [number, top.number - 1],
        (candidates) => blocks.totals(candidates),
        (totals, least, candidate) => rowsOf(mustHave(totals, `block ${candidate}`)) >= least,
      );
      const tip = (await blocks.tipAt(bottom))!;
      for (const stage of this.#stages.keys()) await this.#unwindStage(writer, stage, bottom);
      await unwindTo(writer, this.#tables, tip);
      top = tip;
    }
  }

  /** A stage that began above the block begins again. */
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

  /** Blocks below `journalFrom` were added without a journal, and those far below the tip lose theirs. */
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

  /** Forgets the chain, but not whose it is and what its indexer does: for a development chain that began again. */
  async clear(): Promise<void> {
    await this.#write(async (writer) => {
      const tables = (await writer.tables()).filter((table) => table !== "meta");
      for (const table of tables) await writer.run(`DELETE FROM ${table}`);
      await writer.run("DELETE FROM meta WHERE name NOT IN ('schema', 'chain_id', 'hash_secret', 'indexer')");
      this.#forget();
    });
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#lock?.release();
  }

  #reads(writer: Writer): Reads {
    return new Reads(writer, this.#hash);
  }

  #transact<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    return this.#database.transaction(this.#lock ?? NO_FENCE, work);
  }

  #write<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    return this.#orForget(() => this.#transact(work));
  }

  /** What a failed write leaves in memory is not true. */
  async #orForget<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  #leavePending(): void {
    if (this.#isPending) this.#forget();
  }

  #forget(): void {
    this.#isPending = false;
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

interface AppendingStage extends StageFeed {
  readonly appender: StageAppender<object>;
}

/** Empties the array before events become rows: a block of a hundred thousand logs is not held beside them. */
async function addBlocks(
  db: Reader,
  blocks: Block[],
  core: Appender,
  stages: readonly AppendingStage[],
): Promise<void> {
  const found = stages.map(({ events }) => blocks.map((block) => ({ number: block.header.number, ...events(block) })));
  await core.add(db, blocks);
  blocks.length = 0;
  for (const [at, { appender }] of stages.entries()) await appender.add(db, found[at] ?? []);
}
