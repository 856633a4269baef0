import { randomInt } from "node:crypto";
import type { Reader, Writer } from "../engine/database.ts";
import { KEY_SPACE } from "./keyTable.ts";

/** A run of packed entries. Bodies of buckets `width` keys wide have ids from `first` on. */
export interface Run {
  readonly first: number;
  readonly level: number;
  readonly width: number;
  /** Keys in [low, high) are found in it; the others are not there yet, or have moved to the run `target`. */
  low: number;
  high: number;
  /** Of its values. Those above `highest` were unwound and are not found. */
  readonly lowest: number;
  readonly highest: number;
  entries: number;
  /** Run that this one is being merged into. */
  target: number | null;
  /** Random: tells a run from another one that had the same ids and was rolled back. */
  readonly nonce: number;
}

const COLUMNS = ["first", "level", "width", "low", "high", "lowest", "highest", "entries", "target", "nonce"] as const;

type RunRow = [number, number, number, number, number, number, number, number, number | null, number];

/** 48 bits. */
export const newNonce = (): number => randomInt(2 ** 48 - 1);

export async function readRuns(db: Reader, table: string): Promise<Run[]> {
  const rows = await db.all<RunRow>(`SELECT ${COLUMNS} FROM ${table}_run ORDER BY first`);
  return rows.map(([first, level, width, low, high, lowest, highest, entries, target, nonce]) => ({
    first,
    level,
    width,
    low,
    high,
    lowest,
    highest,
    entries,
    target,
    nonce,
  }));
}

export async function writeRuns(writer: Writer, table: string, runs: readonly Run[]): Promise<void> {
  await writer.upsert(
    `${table}_run`,
    COLUMNS,
    runs.map((run) => COLUMNS.map((column) => run[column])),
  );
}

export async function removeRuns(writer: Writer, table: string, runs: readonly Run[]): Promise<void> {
  await writer.remove(
    `${table}_run`,
    ["first"],
    runs.map(({ first }) => [first]),
  );
}

export const isComplete = ({ high }: Run): boolean => high === KEY_SPACE;

/** All its values were unwound. */
export const isDead = ({ lowest, highest }: Run): boolean => lowest > highest;

/** First id that no run has. */
export const endOf = (runs: readonly Run[]): number =>
  runs.reduce((end, { first, width }) => Math.max(end, first + KEY_SPACE / width), 0);

/** All values up to this one have been packed, or could not be. */
export const packedUpTo = (runs: readonly Run[]): number =>
  runs.reduce((highest, run) => Math.max(highest, run.highest), -1);
