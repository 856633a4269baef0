import type { Bytes, Hash } from "../../chain/encoding/bytes.ts";
import type { AuditOptions } from "../audit/audit.ts";
import type { AuditReport } from "../audit/auditReport.ts";
import type { KeyedHash } from "../dictionary/keyedHash.ts";
import type { Reader, Writer } from "../engine/database.ts";
import type { LoggedBlock } from "../read/blockLogs.ts";
import type { CoreReads } from "../read/coreReads.ts";
import type { CoreTables } from "../tables/coreTables.ts";

/**
 * What stands on the core: a stage takes events from the logs of its blocks, and keeps what follows from them in tables of
 * its own. It commits and unwinds with the core. One that is new, changed or was left behind is derived from stored blocks.
 * One whose events are fetched comes after the core, and its own rows are all that it is audited by.
 */
export interface Stage<E extends object = object, T extends StageTip = StageTip> {
  readonly name: string;
  /** Of what it keeps: where the index has that of another version, all of it is derived again. */
  readonly version: number;
  /** Its tables that say what rows were before a block; they are cut with the core's journal. */
  readonly journals: readonly string[];
  /** Its newest block, or one below. */
  tip(db: Reader, number?: number): Promise<T | undefined>;
  /** How many rows the events of a block become, about. */
  estimateRows(events: E): number;
  open(core: CoreTables, addressHasher: KeyedHash): StageTables<E, T>;
  /** Deletes what it keeps, in the caller's transaction. */
  clear(writer: Writer): Promise<void>;
  /** Recomputes all that it keeps; answers what does not agree. */
  audit(session: CoreReads, events: ReadEvents<E>, options?: AuditOptions): Promise<string[]>;
  /** Recomputes what follows from one block and the one before. */
  verify(session: CoreReads, number: number, events: ReadEvents<E>, report: AuditReport): Promise<void>;
  /** What there is to audit, in words; undefined where there is nothing. */
  summary(session: CoreReads): Promise<string | undefined>;
  /** How many rows an audit reads beside the core's. */
  size(session: CoreReads): Promise<number>;
}

export interface StageTip {
  readonly number: number;
  readonly digest: Bytes;
}

/** What a stage takes from a block. It follows from the logs alone, so it can be read again from stored ones. */
export type ReadEvents<E extends object> = (block: LoggedBlock) => E;

/** What was fetched for a block of a stage that logs do not tell enough, and which block that was. */
export interface FetchedEvents<E extends object> {
  readonly number: number;
  readonly hash: Hash;
  readonly events: E;
}

/** The tables of a stage as the write path uses them. */
export interface StageTables<E extends object = object, T extends StageTip = StageTip> {
  /** Blocks from `journalFrom` on may be unwound. Addresses with ids from `firstNew` on have no rows yet. */
  append(tip: T | undefined, options: { journalFrom: number; firstNew: number }): StageAppender<E>;
  /** Removes every block above a tip, before the core does. */
  unwind(writer: Writer, tip: T): Promise<void>;
  /** Forgets what it has in memory. */
  clear(): void;
}

/** Takes blocks in parts, out of their array, and turns them into rows in memory. Only the end, in a transaction, writes. */
export interface StageAppender<E extends object> {
  readonly tip: StageTip | undefined;
  add(db: Reader, blocks: (E & { readonly number: number })[]): Promise<void>;
  finish(writer: Writer): Promise<void>;
}

/** A stage, and what reads its events. */
export interface StageFeed {
  readonly stage: Stage;
  readonly events: ReadEvents<object>;
}

export function feed<E extends object>(stage: Stage<E>, events: ReadEvents<E>): StageFeed {
  return { stage, events };
}
