import type { Bytes } from "../../chain/encoding/bytes.ts";
import { Turn } from "../../std/turn.ts";
import type { Connection } from "../engine/engine.ts";
import { readHashAndTime } from "../rows/blockBody.ts";
import { PARTS, readRowHead } from "../rows/bodyParts.ts";
import { ByteReader, mustHave } from "../rows/encoding.ts";
import type { LogOutline, StoredCriteria } from "../rows/logBody.ts";
import { compareLog, readStoredLog, readTail } from "../rows/logBody.ts";
import type { LogContext } from "../rows/logContext.ts";
import { readLogContext } from "../rows/logContext.ts";
import { tailPart } from "../rows/longRows.ts";
import type { Position } from "../rows/position.ts";
import { blockOf } from "../rows/position.ts";
import { AddressResolver } from "./addressResolver.ts";

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

type TransactionRow = readonly [position: Position, row: Bytes];

/** Rows of transactions read before others may have their turn. */
const ROWS_AT_ONCE = 250;

const EMITTERS =
  "SELECT t.position, t.body FROM tx t WHERE t.position IN (SELECT (SELECT max(n.position) FROM tx n WHERE n.position <= w.column1) FROM ($pairs) w)";
const FROM_ON = "SELECT position, body FROM tx WHERE position >= ? AND position < ? ORDER BY position LIMIT ?";
const TAILS = "SELECT position, part, body FROM tx_part WHERE (position, part) IN ($pairs)";
const CHUNKS =
  "SELECT first, body FROM log_chunk WHERE position = ? AND first >= coalesce((SELECT max(first) FROM log_chunk WHERE position = ? AND first <= ?), 0) AND first <= ? ORDER BY first";

/** Reads logs from the rows of their transactions, and no more of these than the logs need. */
export class LogRows {
  readonly #connection: Connection;
  readonly #resolver: AddressResolver;
  readonly #turn = new Turn();
  #hits: Hit[] = [];

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#resolver = new AddressResolver(connection);
  }

  /** Bytes of data of the logs that were taken. */
  get size(): number {
    return this.#hits.reduce((sum, { outline }) => sum + (outline.longTail ?? outline.data?.length ?? 0), 0);
  }

  /** Takes those of the logs at some ascending positions that match, up to `most`. Answers how many match. */
  async take(positions: readonly Position[], match: LogMatch | undefined, skip: number, most: number): Promise<number> {
    let matching = 0;
    for (let from = 0; from < positions.length && matching < skip + most; from += ROWS_AT_ONCE) {
      const some = positions.slice(from, from + ROWS_AT_ONCE);
      const pairs = some.map((position) => [position, 0] as const);
      const rows = (await this.#connection.loadPairs(EMITTERS, pairs)) as [number, Bytes][];
      rows.sort(([a], [b]) => a - b);
      let at = 0;
      for (const [index, row] of rows.entries()) {
        const end = rows[index + 1]?.[0] ?? Number.POSITIVE_INFINITY;
        const places: number[] = [];
        for (; at < some.length && some[at]! < end; at++) places.push(some[at]! - row[0] - 1);
        for (const hit of await this.#matching(row, match, places)) {
          if (matching >= skip && matching < skip + most) this.#hits.push(hit());
          matching++;
        }
      }
      await this.#turn.giveWay();
    }
    return matching;
  }

  /**
   * Looks at all logs of some transactions from a position on, and takes those that match, from the `skip`-th on and up
   * to `most`. Answers how many match, and where to go on; undefined where the end was reached.
   */
  async scan(
    [from, end]: readonly [number, number],
    match: LogMatch,
    skip: number,
    most: number,
  ): Promise<{ readonly matching: number; readonly next: number | undefined }> {
    const rows = (await this.#connection.all(FROM_ON, from, end, ROWS_AT_ONCE)) as [number, Bytes][];
    let matching = 0;
    for (const row of rows) {
      for (const hit of await this.#matching(row, match, undefined)) {
        if (matching >= skip && matching < skip + most) this.#hits.push(hit());
        matching++;
      }
    }
    return { matching, next: rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1)![0] + 1 };
  }

  /** The logs that were taken, in order. */
  async read(): Promise<FoundLog[]> {
    const hits = this.#hits;
    await this.#resolver.load();
    const tails = await this.#readTails(hits.filter(({ outline }) => outline.data === null));
    const blocks = await this.#readBlocks(hits);
    return hits.map(({ position, place, outline, context }) => {
      const blockNumber = blockOf(position);
      const { hash, timestamp } = mustHave(blocks.get(blockNumber), `block ${blockNumber}`);
      const data = outline.data ?? mustHave(tails.get(`${position} ${tailPart(place)}`), "the data of a log");
      const { address, topics, logIndex } = outline;
      return { address, topics, data, logIndex, ...context, blockNumber, blockHash: hash, timestamp };
    });
  }

  /** The matching logs of a transaction, those at some places or all; each is decoded when it is called for. */
  async #matching(
    [position, row]: TransactionRow,
    match: LogMatch | undefined,
    places: readonly number[] | undefined,
  ): Promise<(() => Hit)[]> {
    const { logsAt, apart } = readRowHead(row);
    const found: (() => Hit)[] = [];
    let context: LogContext | undefined;
    const collect = (body: Bytes, start: number, first: number) => {
      const wanted = places === undefined ? undefined : new Set(places);
      const reader = new ByteReader(body, start);
      const last = places?.at(-1) ?? Number.POSITIVE_INFINITY;
      for (let place = first; !reader.done && place <= last; place++) {
        const at = reader.at;
        const topics = compareLog(reader, match ?? ANY);
        if (wanted !== undefined && !wanted.has(place)) continue;
        if (match !== undefined && (topics < 0 || !match.accepts(topics))) continue;
        found.push(() => {
          context ??= readLogContext(position, row);
          const outline = readStoredLog(new ByteReader(body, at), context.firstLog + place, this.#resolver);
          return { position, place, outline, context };
        });
      }
    };
    if ((apart & PARTS.logs) === 0) {
      const reader = new ByteReader(row, logsAt);
      if (reader.varint() > 0) collect(row, reader.at, 0);
      return found;
    }
    const [least, most] = [places?.[0] ?? 0, places?.at(-1) ?? Number.MAX_SAFE_INTEGER];
    for (const [first, body] of (await this.#connection.all(CHUNKS, position, position, least, most)) as [
      number,
      Bytes,
    ][]) {
      collect(body, 0, first);
    }
    return found;
  }

  async #readTails(hits: readonly Hit[]): Promise<Map<string, Bytes>> {
    const pairs = hits.map(({ position, place }) => [position, tailPart(place)] as const);
    const rows = (await this.#connection.loadPairs(TAILS, pairs)) as [number, number, Bytes][];
    return new Map(rows.map(([position, part, tail]) => [`${position} ${part}`, readTail(tail).data]));
  }

  async #readBlocks(hits: readonly Hit[]): Promise<Map<number, ReturnType<typeof readHashAndTime>>> {
    const numbers = new Set(hits.map(({ position }) => blockOf(position)));
    const rows = await this.#connection.load("SELECT number, body FROM block WHERE number IN ($keys)", [...numbers]);
    return new Map((rows as [number, Bytes][]).map(([number, body]) => [number, readHashAndTime(body)]));
  }
}

const ANY: StoredCriteria = { emitter: undefined, signature: undefined, topics: [] };
