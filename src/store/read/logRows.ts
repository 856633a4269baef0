import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Draft } from "../../chain/encoding/wire.ts";
import type { Dialect, Reader } from "../engine/database.ts";
import { inDialect } from "../engine/database.ts";
import { PARTS, readPackedHead } from "../rows/bodyParts.ts";
import type { ByteRange } from "../rows/byteRange.ts";
import { rangeOf } from "../rows/byteRange.ts";
import { tailPart } from "../rows/dividedBody.ts";
import { asBytes, ByteReader, corrupt, mustHave } from "../rows/encoding.ts";
import type { StoredCriteria } from "../rows/logBody.ts";
import { compareLog, locateLog, readTail, skipStoredLog } from "../rows/logBody.ts";
import type { LogContext } from "../rows/logContext.ts";
import { readLogContext } from "../rows/logContext.ts";
import type { PackedRow } from "../rows/packedRows.ts";
import type { Position } from "../rows/position.ts";
import { blockOf } from "../rows/position.ts";
import { AddressResolver } from "./addressResolver.ts";
import { BlockReads } from "./blocks.ts";
import type { FoundLog } from "./foundLog.ts";
import { readRowsFrom, readTransactionRows } from "./transactionRows.ts";

/** `accepts` decides by the bits of matching topics. */
export interface LogMatch extends StoredCriteria {
  accepts(topics: number): boolean;
}

interface Hit extends FoundLog {
  readonly place: number;
  readonly longTail: number;
}

/** Stored logs in [start, end) of a body, from index `first` on. */
interface LogRun {
  readonly first: number;
  readonly body: Bytes;
  readonly start: number;
  readonly end: number;
}

/** Resume position: log index within the first transaction at or after a position. */
export interface ScanPoint {
  readonly position: Position;
  readonly place: number;
}

interface LogPage {
  readonly skip: number;
  readonly limit: number;
}

interface PartSize {
  /** Transaction rows per read, and log chunks per read. */
  readonly rows: number;
  readonly chunks: number;
  /** Logs or bytes scanned, or data bytes returned, after which a part ends. */
  readonly logs: number;
  readonly bytes: number;
  readonly data: number;
}

export const PART: PartSize = { rows: 500, chunks: 128, logs: 5000, bytes: 1 << 20, data: 1 << 20 };

const TAILS = "SELECT position, part, body FROM tx_part WHERE (position, part) IN ($pairs)";
/** The chunk with a log, by the position of its transaction and its index there. */
export const chunkOfEach = ({ ofEachPair }: Dialect): string =>
  ofEachPair("max(n.first)", "log_chunk n", "n.position = w.column1 AND n.first <= w.column2");

const CHUNKS_WITH = inDialect(
  (dialect) =>
    `SELECT c.position, c.first, c.body FROM log_chunk c WHERE (c.position, c.first) IN (SELECT e.column1, e.value FROM (${chunkOfEach(dialect)}) e)`,
);
const CHUNKS_FROM =
  "SELECT first, body FROM log_chunk WHERE position = ? AND first >= coalesce((SELECT max(first) FROM log_chunk WHERE position = ? AND first <= ?), 0) ORDER BY first LIMIT ?";

/** Reads logs from transaction rows, decoding only what is needed. One instance per part of a search. */
export class LogRows {
  readonly #db: Reader;
  readonly #resolver: AddressResolver;
  readonly #match: LogMatch | undefined;
  readonly #page: LogPage;
  readonly #part: PartSize;
  readonly #hits: Hit[] = [];
  #matching = 0;
  #size = 0;
  #scanned = 0;
  #bytes = 0;
  readonly #contexts: Draft<LogContext>[] = [];

  /** Without criteria all logs match. */
  constructor({ db }: { readonly db: Reader }, match: LogMatch | undefined, page: LogPage, part = PART) {
    this.#db = db;
    this.#resolver = new AddressResolver(db);
    this.#match = match;
    this.#page = page;
    this.#part = part;
  }

  get matching(): number {
    return this.#matching;
  }

  get #isFull(): boolean {
    return this.#hits.length >= this.#page.limit || this.#size >= this.#part.data;
  }

  /** Positions ascend. Returns how many were processed, since a part may end early. */
  async take(positions: readonly Position[]): Promise<number> {
    for (let from = 0; from < positions.length; from += this.#part.rows) {
      const some = positions.slice(from, from + this.#part.rows);
      const looked = await this.#takeSome(some);
      if (looked < some.length || this.#isFull) return from + looked;
    }
    return positions.length;
  }

  async #takeSome(positions: readonly Position[]): Promise<number> {
    const rows = await readTransactionRows(this.#db, positions);
    const ends = endsIn(rows, positions);
    const chunks = await this.#chunksWith(rows, positions, ends);
    let at = 0;
    for (const [index, row] of rows.entries()) {
      const end = ends[index]!;
      if (at === end) continue;
      at = this.#takeOf(row, chunks?.get(row.key) ?? runInRow(row), positions, at, end);
      if (at < end) return at;
    }
    if (at < positions.length) throw corrupt(`the transaction of the log at ${positions[at]} is missing`);
    return at;
  }

  /** Positions [from, end) within one transaction. Returns where it stopped. */
  #takeOf(row: PackedRow, runs: readonly LogRun[], positions: readonly Position[], from: number, end: number): number {
    let next = from;
    for (const run of runs) {
      const reader = new ByteReader(run.body, run.start, run.end);
      this.#bytes += run.end - run.start;
      for (let place = run.first; !reader.done && next < end; place++) {
        if (row.key + 1 + place !== positions[next]) {
          skipStoredLog(reader);
          continue;
        }
        if (this.#isFull) return next;
        next++;
        this.#take(row, place, run, reader);
      }
    }
    if (next < end) throw corrupt(`the log at ${positions[next]} is missing`);
    return end;
  }

  /** Returns where to resume; undefined at the end. */
  async scan(from: ScanPoint, end: Position): Promise<ScanPoint | undefined> {
    const rows = await readRowsFrom(this.#db, from.position, end, this.#part.rows);
    for (const row of rows) {
      const position = row.key;
      const start = position === from.position ? from.place : 0;
      const place = await this.#scanLogs(row, start);
      if (place !== undefined) return { position, place };
      if (this.#scanned >= this.#part.logs || this.#bytes >= this.#part.bytes)
        return { position: position + 1, place: 0 };
    }
    return rows.length < this.#part.rows ? undefined : { position: rows.at(-1)!.key + 1, place: 0 };
  }

  /** Returns the log to resume at; undefined at the end. */
  async #scanLogs(row: PackedRow, start: number): Promise<number | undefined> {
    const position = row.key;
    if ((readPackedHead(row).overflow & PARTS.logs) === 0) return this.#scanRuns(row, runInRow(row), start);
    const rows = await this.#db.all<[number, Bytes]>(CHUNKS_FROM, position, position, start, this.#part.chunks + 1);
    const runs = rows.slice(0, this.#part.chunks).map(([first, chunk]) => chunkRun(first, chunk));
    return this.#scanRuns(row, runs, start) ?? rows[this.#part.chunks]?.[0];
  }

  #scanRuns(row: PackedRow, runs: readonly LogRun[], from: number): number | undefined {
    for (const run of runs) {
      const reader = new ByteReader(run.body, run.start, run.end);
      this.#bytes += run.end - run.start;
      for (let place = run.first; !reader.done; place++) {
        if (place < from) {
          skipStoredLog(reader);
          continue;
        }
        if (this.#isFull) return place;
        this.#scanned++;
        this.#take(row, place, run, reader);
      }
    }
    return undefined;
  }

  #take(row: PackedRow, place: number, { body, end }: LogRun, reader: ByteReader): void {
    const at = reader.at;
    if (this.#match !== undefined) {
      const topics = compareLog(reader, this.#match);
      if (topics < 0 || !this.#match.accepts(topics)) return;
    }
    if (this.#matching++ < this.#page.skip) {
      if (reader.at === at) skipStoredLog(reader);
      return;
    }
    const context = this.#contextOf(row);
    const again = reader.at === at ? reader : new ByteReader(body, at, end);
    const { address, topics, data, longTail } = locateLog(again, this.#resolver);
    const logIndex = context.firstLog + place;
    this.#hits.push({ context, logIndex, address, topics, data, place, longTail });
    this.#size += longTail + data.end - data.start;
  }

  #contextOf(row: PackedRow): LogContext {
    const last = this.#contexts.at(-1);
    if (last?.position === row.key) return last;
    const context = readLogContext(row);
    this.#contexts.push(context);
    return context;
  }

  /** Log chunks of divided transactions, by position. */
  async #chunksWith(
    rows: readonly PackedRow[],
    positions: readonly Position[],
    ends: readonly number[],
  ): Promise<Map<Position, LogRun[]> | undefined> {
    const pairs: [Position, number][] = [];
    for (const [index, row] of rows.entries()) {
      if ((readPackedHead(row).overflow & PARTS.logs) === 0) continue;
      const own = positions.slice(ends[index - 1] ?? 0, ends[index]);
      for (const position of own) pairs.push([row.key, position - row.key - 1]);
    }
    if (pairs.length === 0) return undefined;
    const chunks = await this.#db.loadPairs<[number, number, Bytes]>(CHUNKS_WITH(this.#db), pairs);
    const distinct = new Map(chunks.map((chunk) => [`${chunk[0]} ${chunk[1]}`, chunk]));
    const ordered = [...distinct.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const runs = ordered.map(([position, first, body]) => ({ position, ...chunkRun(first, body) }));
    return Map.groupBy(runs, ({ position }) => position);
  }

  async #readBlocks(): Promise<void> {
    const numbers = new Set(this.#contexts.map(({ position }) => blockOf(position)));
    const blocks = await new BlockReads(this.#db).stamps(numbers);
    for (const context of this.#contexts) {
      const number = blockOf(context.position);
      context.block = mustHave(blocks.get(number), `block ${number}`);
    }
  }

  async read(): Promise<FoundLog[]> {
    const hits = this.#hits;
    const long = hits.filter(({ longTail }) => longTail > 0);
    const [tails] = await Promise.all([this.#readTails(long), this.#readBlocks(), this.#resolver.load()]);
    if (long.length === 0) return hits;
    return hits.map((hit) => {
      if (hit.longTail === 0) return hit;
      return {
        ...hit,
        data: mustHave(tails.get(`${hit.context.position} ${tailPart(hit.place)}`), "the data of a log"),
      };
    });
  }

  async #readTails(hits: readonly Hit[]): Promise<Map<string, ByteRange>> {
    const pairs = hits.map(({ context, place }) => [context.position, tailPart(place)] as const);
    const rows = (await this.#db.loadPairs(TAILS, pairs)) as [number, number, Bytes][];
    return new Map(rows.map(([position, part, tail]) => [`${position} ${part}`, rangeOf(readTail(tail).data)]));
  }
}

/** End of each transaction's logs within the positions; both ascend. */
function endsIn(rows: readonly PackedRow[], positions: readonly Position[]): number[] {
  let at = 0;
  return rows.map((_, index) => {
    const next = rows[index + 1]?.key ?? Number.POSITIVE_INFINITY;
    while (at < positions.length && positions[at]! < next) at++;
    return at;
  });
}

function runInRow(row: PackedRow): LogRun[] {
  const { bytes, start, end } = row;
  const reader = new ByteReader(bytes, start + readPackedHead(row).logsAt, end);
  return reader.varint() === 0 ? [] : [{ first: 0, body: bytes, start: reader.at, end }];
}

function chunkRun(first: number, chunk: Bytes): LogRun {
  return { first, body: chunk, start: 0, end: asBytes(chunk).length };
}
