import type { Bytes } from "../../chain/encoding/bytes.ts";
import { settleAll } from "../../std/async.ts";
import type { Reader, Writer } from "../engine/database.ts";
import { KeyEntries } from "./keyEntries.ts";
import type { KeyTable, RunSizes } from "./keyTable.ts";
import { KEY_SPACE, rowColumns } from "./keyTable.ts";
import { bucketWidth, packEntries, unpackEntries } from "./packedEntries.ts";
import type { RunFilters } from "./runFilters.ts";
import type { Run } from "./runs.ts";
import { endOf, isComplete, isDead, newNonce, removeRuns, writeRuns } from "./runs.ts";

export interface MergedKeys {
  readonly table: KeyTable;
  readonly runs: Run[];
  readonly filters: RunFilters;
  /** Keys of all rows and possibly others, once they were asked for. */
  rowKeys: Set<number> | undefined;
}

/**
 * Merges the runs of a level into one of the next, a range of keys at a time: a piece moves its entries from the old
 * runs to the new one, which then has them. After every piece each entry is in exactly one run, so a merge may stop
 * anywhere. Returns the number of entries it has moved, 0 if there is nothing to do.
 */
export async function mergePiece(writer: Writer, keys: MergedKeys, sizes: RunSizes, limit: number): Promise<number> {
  const { runs } = keys;
  const dead = runs.find((run) => isDead(run) && isComplete(run) && run.target === null);
  if (dead !== undefined) return dropPiece(writer, keys, dead, Math.min(limit, sizes.piece));
  startMerges(keys, sizes);
  const growing = runs.filter((run) => !isComplete(run)).sort((a, b) => a.level - b.level)[0];
  if (growing === undefined) return 0;
  return movePiece(writer, keys, growing, Math.min(limit, sizes.piece));
}

export const levelOf = (entries: number, { rows, ratio }: RunSizes): number =>
  Math.max(0, Math.floor(Math.log(entries / rows) / Math.log(ratio) + 1e-9));

function startMerges({ runs, filters }: MergedKeys, sizes: RunSizes): void {
  const free = runs.filter((run) => isComplete(run) && run.target === null);
  for (const level of new Set(free.map((run) => run.level))) {
    const inputs = free.filter((run) => run.level === level);
    if (inputs.length < sizes.ratio) continue;
    const entries = inputs.reduce((sum, run) => sum + run.entries, 0);
    const first = endOf(runs);
    for (const input of inputs) input.target = first;
    const run: Run = {
      first,
      level: Math.max(level + 1, levelOf(entries, sizes)),
      width: bucketWidth(entries),
      low: 0,
      high: 0,
      lowest: Math.min(...inputs.map(({ lowest }) => lowest)),
      highest: Math.max(...inputs.map(({ highest }) => highest)),
      entries: 0,
      target: null,
      nonce: newNonce(),
    };
    runs.push(run);
    filters.begin(run, entries);
  }
}

async function movePiece(writer: Writer, keys: MergedKeys, to: Run, limit: number): Promise<number> {
  const { runs, filters, table } = keys;
  const { name, fingerprintDigits } = table;
  const inputs = runs.filter(({ target }) => target === to.first);
  const range = { from: to.high, to: endOfPiece(inputs, to.high, limit) };
  const entries = new KeyEntries();
  const bodies = await settleAll(inputs.map((run) => readBodies(writer, name, run, range)));
  for (const [at, run] of inputs.entries()) {
    const packing = { ...table, ...run };
    for (const [id, body] of bodies[at]!) unpackEntries(body, id, packing, run.highest, entries);
    await removeBodies(writer, name, run, range);
    run.low = range.to;
    filters.release(run, run.low);
  }
  const rest = new KeyEntries();
  await writer.insert(`${name}_body`, ["id", "body"], packEntries(entries, { ...table, ...to }, rest));
  await writer.insert(name, rowColumns(table), rest.rows(fingerprintDigits > 0));
  for (let at = 0; at < rest.length; at++) keys.rowKeys?.add(rest.first(at));
  filters.add(to, entries, range.from, range.to);
  to.high = range.to;
  to.entries += entries.length - rest.length;
  if (!isComplete(to)) {
    await writeRuns(writer, name, [to, ...inputs]);
    return entries.length + 1;
  }
  const over = to.entries === 0 ? [to, ...inputs] : inputs;
  await removeRuns(writer, name, over);
  if (to.entries > 0) await writeRuns(writer, name, [to]);
  for (const run of over) runs.splice(runs.indexOf(run), 1);
  return entries.length + 1;
}

/** Ends with a bucket of every run: widths are powers of two. */
function endOfPiece(inputs: readonly Run[], from: number, limit: number): number {
  const entries = inputs.reduce((sum, run) => sum + run.entries, 0);
  const widest = Math.max(...inputs.map(({ width }) => width));
  const buckets = Math.max(1, Math.floor(((limit / entries) * KEY_SPACE) / widest));
  return Math.min(from + buckets * widest, KEY_SPACE);
}

async function dropPiece(writer: Writer, { table, runs }: MergedKeys, run: Run, limit: number): Promise<number> {
  const { name } = table;
  const range = { from: run.low, to: endOfPiece([run], run.low, limit) };
  await removeBodies(writer, name, run, range);
  run.low = range.to;
  if (run.low < KEY_SPACE) await writeRuns(writer, name, [run]);
  else {
    await removeRuns(writer, name, [run]);
    runs.splice(runs.indexOf(run), 1);
  }
  return limit;
}

/** Keys [from, to). */
export interface KeyRange {
  readonly from: number;
  readonly to: number;
}

/** Rows of the buckets that keys of a range are in. */
export function readBodies(db: Reader, table: string, run: Run, range: KeyRange): Promise<[id: number, body: Bytes][]> {
  const sql = `SELECT id, body FROM ${table}_body WHERE id >= ? AND id < ? ORDER BY id`;
  return db.all(sql, ...idsOf(run, range));
}

function removeBodies(writer: Writer, table: string, run: Run, range: KeyRange): Promise<void> {
  return writer.run(`DELETE FROM ${table}_body WHERE id >= ? AND id < ?`, ...idsOf(run, range));
}

function idsOf({ first, width }: Run, { from, to }: KeyRange): [from: number, to: number] {
  return [first + Math.floor(from / width), first + Math.ceil(to / width)];
}
