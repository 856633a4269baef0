import type { Bytes, Hash } from "../../chain/encoding/bytes.ts";
import type { AuditOptions } from "../audit/audit.ts";
import type { AuditReport } from "../audit/auditReport.ts";
import type { KeyedHash } from "../dictionary/keyedHash.ts";
import type { Reader, Writer } from "../engine/database.ts";
import type { LoggedBlock } from "../read/blockLogs.ts";
import type { CoreReads } from "../read/coreReads.ts";
import type { CoreTables } from "../tables/coreTables.ts";

/**
 * A stage derives tables from the events in block logs, and commits and unwinds with the core. One that is new, changed
 * or behind is derived from stored blocks. A stage whose events are fetched follows the core, and is audited by its own
 * rows only.
 */
export interface Stage<E extends object = object, T extends StageTip = StageTip> {
  readonly name: string;
  /** Schema and algorithm version; a different stored version is derived again. */
  readonly version: number;
  /** Its undo tables, pruned with the core's journal. */
  readonly journals: readonly string[];
  /** The newest block, or a given one. */
  tip(db: Reader, number?: number): Promise<T | undefined>;
  /** Approximate rows produced by a block. */
  estimateRows(events: E): number;
  open(core: CoreTables, addressHasher: KeyedHash): StageTables<E, T>;
  clear(writer: Writer): Promise<void>;
  /** Recomputes everything. Returns the differences. */
  audit(session: CoreReads, events: ReadEvents<E>, options?: AuditOptions): Promise<string[]>;
  /** Recomputes one block from its parent. */
  verify(session: CoreReads, number: number, events: ReadEvents<E>, report: AuditReport): Promise<void>;
  /** Human-readable; undefined if there is nothing to audit. */
  summary(session: CoreReads): Promise<string | undefined>;
  /** Rows an audit reads beside the core's. */
  size(session: CoreReads): Promise<number>;
}

export interface StageTip {
  readonly number: number;
  readonly digest: Bytes;
}

/** Extracts a stage's events from logs, so they can be derived again from stored ones. */
export type ReadEvents<E extends object> = (block: LoggedBlock) => E;

/** Fetched events and the block they belong to. */
export interface FetchedEvents<E extends object> {
  readonly number: number;
  readonly hash: Hash;
  readonly events: E;
}

/** Write access to a stage's tables. */
export interface StageTables<E extends object = object, T extends StageTip = StageTip> {
  /** Blocks from `journalFrom` on may be unwound. Addresses with ids from `firstNew` on have no rows yet. */
  append(tip: T | undefined, options: { journalFrom: number; firstNew: number }): StageAppender<E>;
  /** Runs before the core's unwind. */
  unwind(writer: Writer, tip: T): Promise<void>;
  /** Drops in-memory state. */
  clear(): void;
}

/** Consumes blocks in parts and builds rows in memory. Only `end` writes, inside a transaction. */
export interface StageAppender<E extends object> {
  readonly tip: StageTip | undefined;
  add(db: Reader, blocks: (E & { readonly number: number })[]): Promise<void>;
  finish(writer: Writer): Promise<void>;
}

/** A stage and its event extractor. */
export interface StageFeed {
  readonly stage: Stage;
  readonly events: ReadEvents<object>;
}

export function feed<E extends object>(stage: Stage<E>, events: ReadEvents<E>): StageFeed {
  return { stage, events };
}
