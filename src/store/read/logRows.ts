import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Connection } from "../engine/engine.ts";
import { PARTS, readPackedHead } from "../rows/bodyParts.ts";
import { asBytes, ByteReader, mustHave } from "../rows/encoding.ts";
import type { LogOutline, StoredCriteria } from "../rows/logBody.ts";
import { compareLog, readStoredLog, readTail, skipStoredLog } from "../rows/logBody.ts";
import type { LogContext } from "../rows/logContext.ts";
import { readLogContext } from "../rows/logContext.ts";
import { tailPart } from "../rows/longRows.ts";
import type { PackedRow } from "../rows/packedRows.ts";
import type { Position } from "../rows/position.ts";
import { blockOf } from "../rows/position.ts";
import { AddressResolver } from "./addressResolver.ts";
import { BlockReads } from "./blocks.ts";
import { readRowsFrom, readTransactionRows } from "./transactionRows.ts";

/** A log with all that its record tells of its transaction and its block. */
export interface FoundLog extends LogContext {
  readonly address: Bytes;
  readonly topics: Bytes;
  readonly data: Bytes;
  readonly logIndex: number;
  readonly blockNumber: number;
  readonly blockHash: Bytes;
  readonly timestamp: number;
}

/** Logs are as wanted where this holds of the bits of their topics that are. */
export interface LogMatch extends StoredCriteria {
  accepts(topics: number): boolean;
}

/** A log that was found: where, and as it is stored. */
interface Hit {
  readonly position: Position;
  readonly place: number;
  readonly outline: LogOutline;
  readonly context: LogContext;
}

/** Some logs of a transaction as they are stored in the bytes [start, end) of a body, from the one at place `first` on. */
interface LogRun {
  readonly first: number;
  readonly body: Bytes;
  readonly start: number;
  readonly end: number;
}

/** Where a scan goes on: at a log of the first transaction from a position on. */
export interface ScanPoint {
  readonly position: Position;
  readonly place: number;
}

/** Which of the matching logs are taken. */
export interface LogPage {
  readonly skip: number;
  readonly limit: number;
}

/** What a part of a search reads. */
export interface PartSize {
  /** Rows of transactions that are read at once, and chunks of the logs of one. */
  readonly rows: number;
  readonly chunks: number;
  /** A part ends when it has looked at so many logs, or bytes of them, or taken so many bytes of data. */
  readonly logs: number;
  readonly bytes: number;
  readonly data: number;
}

export const PART: PartSize = { rows: 250, chunks: 128, logs: 5000, bytes: 1 << 20, data: 1 << 20 };

const TAILS = "SELECT position, part, body FROM tx_part WHERE (position, part) IN ($pairs)";
const CHUNKS_WITH =
  "SELECT c.position, c.first, c.body FROM log_chunk c WHERE (c.position, c.first) IN (SELECT w.column1, (SELECT max(n.first) FROM log_chunk n WHERE n.position = w.column1 AND n.first <= w.column2) FROM ($pairs) w)";
const CHUNKS_FROM =
  "SELECT first, body FROM log_chunk WHERE position = ? AND first >= coalesce((SELECT max(first) FROM log_chunk WHERE position = ? AND first <= ?), 0) ORDER BY first LIMIT ?";

/** Reads logs from the rows of their transactions, and no more of these than the logs need: a part of a search. */
export class LogRows {
  readonly #connection: Connection;
  readonly #resolver: AddressResolver;
  readonly #match: LogMatch | undefined;
  readonly #page: LogPage;
  readonly #part: PartSize;
  readonly #hits: Hit[] = [];
  #matching = 0;
  #size = 0;
  #looked = 0;
  #bytes = 0;
  #context: { readonly position: Position; readonly context: LogContext } | undefined;

  /** Without criteria all logs match. */
  constructor(connection: Connection, match: LogMatch | undefined, page: LogPage, part = PART) {
    this.#connection = connection;
    this.#resolver = new AddressResolver(connection);
    this.#match = match;
    this.#page = page;
    this.#part = part;
  }

  /** How many logs matched, those that were skipped too. */
  get matching(): number {
    return this.#matching;
  }

  get #isFull(): boolean {
    return this.#hits.length >= this.#page.limit || this.#size >= this.#part.data;
  }

  /** Looks at the logs at some ascending positions; answers at how many of them, as it may have to end before the last. */
  async take(positions: readonly Position[]): Promise<number> {
    for (let from = 0; from < positions.length; from += this.#part.rows) {
      const some = positions.slice(from, from + this.#part.rows);
      const looked = await this.#takeSome(some);
      if (looked < some.length || this.#isFull) return from + looked;
    }
    return positions.length;
  }

  async #takeSome(positions: readonly Position[]): Promise<number> {
    const rows = await readTransactionRows(this.#connection, positions);
    const places = placesIn(rows, positions);
    const chunks = await this.#chunksWith(rows, places);
    let looked = 0;
    for (const [index, row] of rows.entries()) {
      const wanted = places[index]!;
      if (wanted.length === 0) continue;
      const end = this.#lookAt(row, chunks?.get(row.key) ?? runInRow(row), wanted);
      if (end !== undefined) return looked + wanted.filter((place) => place < end).length;
      looked += wanted.length;
    }
    return looked;
  }

  /** Looks at all logs of transactions below an end; answers where to go on, or undefined at the end. */
  async scan(from: ScanPoint, end: Position): Promise<ScanPoint | undefined> {
    const rows = await readRowsFrom(this.#connection, from.position, end, this.#part.rows);
    for (const row of rows) {
      const position = row.key;
      const start = position === from.position ? from.place : 0;
      const place = await this.#scanLogs(row, start);
      if (place !== undefined) return { position, place };
      if (this.#looked >= this.#part.logs || this.#bytes >= this.#part.bytes)
        return { position: position + 1, place: 0 };
    }
    return rows.length < this.#part.rows ? undefined : { position: rows.at(-1)!.key + 1, place: 0 };
  }

  /** Answers at which log to go on, unless there are no more. */
  async #scanLogs(row: PackedRow, start: number): Promise<number | undefined> {
    const position = row.key;
    if ((readPackedHead(row).apart & PARTS.logs) === 0) return this.#lookAt(row, runInRow(row), undefined, start);
    const rows = await this.#connection.all<[number, Bytes]>(
      CHUNKS_FROM,
      position,
      position,
      start,
      this.#part.chunks + 1,
    );
    const runs = rows.slice(0, this.#part.chunks).map(([first, chunk]) => chunkRun(first, chunk));
    return this.#lookAt(row, runs, undefined, start) ?? rows[this.#part.chunks]?.[0];
  }

  /** Looks at the logs of a transaction at some places, or at all from one on; answers the place it had to end before. */
  #lookAt(row: PackedRow, runs: readonly LogRun[], places: readonly number[] | undefined, from = 0) {
    let next = 0;
    for (const { first, body, start, end } of runs) {
      const reader = new ByteReader(body, start, end);
      this.#bytes += end - start;
      for (let place = first; !reader.done && (places === undefined || next < places.length); place++) {
        if (place < from || (places !== undefined && place !== places[next])) {
          skipStoredLog(reader);
          continue;
        }
        if (this.#isFull) return place;
        next++;
        this.#looked++;
        this.#take(row, place, body, end, reader);
      }
    }
    return undefined;
  }

  /** Takes the next log, if it is wanted. Moves past it. */
  #take(row: PackedRow, place: number, body: Bytes, end: number, reader: ByteReader): void {
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
    const outline = readStoredLog(again, context.firstLog + place, this.#resolver);
    this.#hits.push({ position: row.key, place, outline, context });
    this.#size += outline.longTail ?? outline.data?.length ?? 0;
  }

  /** Logs of one transaction come one after another. */
  #contextOf(row: PackedRow): LogContext {
    if (this.#context?.position !== row.key) this.#context = { position: row.key, context: readLogContext(row) };
    return this.#context.context;
  }

  /** The chunks with some logs, by the positions of transactions whose logs lie apart. */
  async #chunksWith(
    rows: readonly PackedRow[],
    places: readonly (readonly number[])[],
  ): Promise<Map<Position, LogRun[]> | undefined> {
    const pairs = rows.flatMap((row, index) =>
      (readPackedHead(row).apart & PARTS.logs) === 0 ? [] : places[index]!.map((place) => [row.key, place] as const),
    );
    if (pairs.length === 0) return undefined;
    const chunks = await this.#connection.loadPairs<[number, number, Bytes]>(CHUNKS_WITH, pairs);
    const distinct = new Map(chunks.map((chunk) => [`${chunk[0]} ${chunk[1]}`, chunk]));
    const ordered = [...distinct.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const runs = ordered.map(([position, first, body]) => ({ position, ...chunkRun(first, body) }));
    return Map.groupBy(runs, ({ position }) => position);
  }

  /** The logs that were taken, in order. */
  async read(): Promise<FoundLog[]> {
    const hits = this.#hits;
    await this.#resolver.load();
    const tails = await this.#readTails(hits.filter(({ outline }) => outline.data === null));
    const blocks = await new BlockReads(this.#connection).stamps(
      new Set(hits.map(({ position }) => blockOf(position))),
    );
    return hits.map(({ position, place, outline, context }) => {
      const blockNumber = blockOf(position);
      const { hash, timestamp } = mustHave(blocks.get(blockNumber), `block ${blockNumber}`);
      const data = outline.data ?? mustHave(tails.get(`${position} ${tailPart(place)}`), "the data of a log");
      return {
        address: outline.address,
        topics: outline.topics,
        data,
        logIndex: outline.logIndex,
        transactionHash: context.transactionHash,
        transactionIndex: context.transactionIndex,
        gasUsed: context.gasUsed,
        gasPrice: context.gasPrice,
        firstLog: context.firstLog,
        blockNumber,
        blockHash: hash,
        timestamp,
      };
    });
  }

  async #readTails(hits: readonly Hit[]): Promise<Map<string, Bytes>> {
    const pairs = hits.map(({ position, place }) => [position, tailPart(place)] as const);
    const rows = (await this.#connection.loadPairs(TAILS, pairs)) as [number, number, Bytes][];
    return new Map(rows.map(([position, part, tail]) => [`${position} ${part}`, readTail(tail).data]));
  }
}

/** Of each transaction which of the logs at some positions are its own. Transactions and positions ascend. */
function placesIn(rows: readonly PackedRow[], positions: readonly Position[]): number[][] {
  let at = 0;
  return rows.map(({ key: position }, index) => {
    const end = rows[index + 1]?.key ?? Number.POSITIVE_INFINITY;
    const places: number[] = [];
    for (; at < positions.length && positions[at]! < end; at++) places.push(positions[at]! - position - 1);
    return places;
  });
}

/** The logs that stand in the row of their transaction. */
function runInRow(row: PackedRow): LogRun[] {
  const { bytes, start, end } = row;
  const reader = new ByteReader(bytes, start + readPackedHead(row).logsAt, end);
  return reader.varint() === 0 ? [] : [{ first: 0, body: bytes, start: reader.at, end }];
}

function chunkRun(first: number, chunk: Bytes): LogRun {
  return { first, body: chunk, start: 0, end: asBytes(chunk).length };
}
