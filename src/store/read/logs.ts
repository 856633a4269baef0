import type { Header } from "../../chain/block/header.ts";
import type { Log } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { Turn } from "../../std/async.ts";
import type { Reader } from "../engine/database.ts";
import { inDialect } from "../engine/database.ts";
import { PARTS, readRowHead } from "../rows/bodyParts.ts";
import { tailPart } from "../rows/dividedBody.ts";
import { ByteReader, mustHave } from "../rows/encoding.ts";
import type { LogOutline } from "../rows/logBody.ts";
import { readSomeLogs, readTail } from "../rows/logBody.ts";
import type { Position } from "../rows/position.ts";
import { AddressResolver } from "./addressResolver.ts";
import { chunkOfEach } from "./logRows.ts";
import type { MinedTransaction } from "./transactions.ts";
import { TransactionReads } from "./transactions.ts";

export interface MinedLog extends Omit<Log, "data"> {
  /** Null if omitted for size. */
  readonly data: Bytes | null;
  readonly transactionHash: Bytes;
  readonly sender: Bytes;
  readonly called: Bytes | null;
  readonly header: Header;
}

export const MAX_LOG_DATA = 4 << 20;

const BATCH_SIZE = 100;

interface WantedLog {
  readonly emitter: MinedTransaction;
  readonly offset: number;
}

type Outlines = Map<WantedLog, LogOutline>;

const FIND_CHUNKS = inDialect(chunkOfEach);
const CHUNKS = "SELECT position, first, body FROM log_chunk WHERE (position, first) IN ($pairs)";
const TAILS = "SELECT position, part, body FROM tx_part WHERE (position, part) IN ($pairs)";

export class LogReads {
  readonly #db: Reader;
  readonly #transactions: TransactionReads;

  constructor(db: Reader) {
    this.#db = db;
    this.#transactions = new TransactionReads(db);
  }

  async ofTransaction(emitter: MinedTransaction, from: number, to: number): Promise<MinedLog[]> {
    const end = Math.min(to, emitter.logs.count);
    const wanted = Array.from({ length: Math.max(end - from, 0) }, (_, at) => ({ emitter, offset: from + at }));
    return this.#read(wanted.length, async (at) => wanted.slice(at, at + BATCH_SIZE), MAX_LOG_DATA);
  }

  /** In the order of the positions. */
  async at(positions: readonly Position[], maxDataBytes = MAX_LOG_DATA): Promise<MinedLog[]> {
    const find = async (at: number) => {
      const some = positions.slice(at, at + BATCH_SIZE);
      const emitters = await this.#transactions.nearest(some);
      return some.map((position) => {
        const emitter = mustHave(emitters.get(position), `the transaction of the log at ${position}`);
        return { emitter, offset: position - emitter.position - 1 };
      });
    };
    return this.#read(positions.length, find, maxDataBytes);
  }

  async unlisted(): Promise<{ readonly logs: number; readonly blocks: number }> {
    const sql = "SELECT coalesce(sum(count), 0), count(*) FROM unlisted_log";
    const [[logs, blocks] = [0, 0]] = await this.#db.all<[number, number]>(sql);
    return { logs, blocks };
  }

  /** In batches named by `find`. Omits data beyond the limit. */
  async #read(count: number, find: (at: number) => Promise<WantedLog[]>, maxDataBytes: number): Promise<MinedLog[]> {
    const found: MinedLog[] = [];
    const turn = new Turn();
    let room = maxDataBytes;
    for (let at = 0; at < count; at += BATCH_SIZE) {
      const wanted = await find(at);
      const outlines = await this.#outlines(wanted);
      const shown = wanted.filter((log) => {
        const size = sizeOf(outlineOf(log, outlines));
        const fits = size <= room;
        if (fits) room -= size;
        return fits;
      });
      found.push(...(await this.#present(wanted, outlines, new Set(shown))));
      await turn.yieldToEventLoop();
    }
    return found;
  }

  async #outlines(wanted: readonly WantedLog[]): Promise<Outlines> {
    const outlines: Outlines = new Map();
    const resolver = new AddressResolver(this.#db);
    const ofTransactions = Map.groupBy(wanted, ({ emitter }) => emitter.position);
    const sql = "SELECT position, body FROM tx WHERE position IN ($keys)";
    const chunked: WantedLog[] = [];
    for (const [position, row] of await this.#db.load<[number, Bytes]>(sql, [...ofTransactions.keys()])) {
      const logs = ofTransactions.get(position) ?? [];
      const { logsAt, overflow } = readRowHead(row);
      if (overflow & PARTS.logs) {
        chunked.push(...logs);
        continue;
      }
      const reader = new ByteReader(row, logsAt);
      reader.varint();
      pick(reader, 0, logs, resolver, outlines);
    }
    if (chunked.length > 0) await this.#pickFromChunks(chunked, resolver, outlines);
    await resolver.load();
    return outlines;
  }

  async #pickFromChunks(wanted: readonly WantedLog[], resolver: AddressResolver, outlines: Outlines): Promise<void> {
    const pairs = wanted.map(({ emitter, offset }) => [emitter.position, offset] as const);
    const rows = await this.#db.loadPairs<[number, number, number]>(FIND_CHUNKS(this.#db), pairs);
    const firsts = new Map(rows.map(([position, offset, first]) => [keyOf(position, offset), first]));
    const firstOf = ({ emitter, offset }: WantedLog) => {
      const first = firsts.get(keyOf(emitter.position, offset));
      return mustHave(first, `log ${offset} of the transaction at ${emitter.position}`);
    };
    const ofChunks = Map.groupBy(wanted, (log) => keyOf(log.emitter.position, firstOf(log)));
    const chunks = [...ofChunks.values()].flatMap(([log]) =>
      log ? [[log.emitter.position, firstOf(log)] as const] : [],
    );
    for (const [position, first, body] of await this.#db.loadPairs<[number, number, Bytes]>(CHUNKS, chunks)) {
      pick(new ByteReader(body), first, ofChunks.get(keyOf(position, first)) ?? [], resolver, outlines);
    }
  }

  async #present(wanted: readonly WantedLog[], outlines: Outlines, shown: ReadonlySet<WantedLog>): Promise<MinedLog[]> {
    const long = wanted.filter((log) => shown.has(log) && outlineOf(log, outlines).data === null);
    const pairs = long.map(({ emitter, offset }) => [emitter.position, tailPart(offset)] as const);
    const rows = await this.#db.loadPairs<[number, number, Bytes]>(TAILS, pairs);
    const tails = new Map(rows.map(([position, part, tail]) => [keyOf(position, part), tail]));
    return wanted.map((log) => {
      const { emitter, offset } = log;
      const { longTail: _, ...outline } = outlineOf(log, outlines);
      const tail = tails.get(keyOf(emitter.position, tailPart(offset)));
      const { data, ...extra } = tail === undefined ? outline : { ...outline, ...readTail(tail) };
      const whole = () => mustHave(data, `the data of a log of the transaction at ${emitter.position}`);
      return {
        ...extra,
        // A copy: a view would retain the whole row.
        data: shown.has(log) ? (tail === undefined ? whole().slice() : whole()) : null,
        transactionHash: emitter.transaction.hash.slice(),
        sender: emitter.transaction.from,
        called: emitter.transaction.to,
        header: emitter.block.header,
      };
    });
  }
}

function outlineOf(log: WantedLog, outlines: Outlines): LogOutline {
  return mustHave(outlines.get(log), `log ${log.offset} of the transaction at ${log.emitter.position}`);
}

const keyOf = (position: Position, part: number): string => `${position} ${part}`;

const sizeOf = ({ data, longTail }: LogOutline): number => longTail ?? data?.length ?? 0;

/** The reader is before the log at `first`. */
function pick(
  reader: ByteReader,
  first: number,
  logs: readonly WantedLog[],
  resolver: AddressResolver,
  outlines: Outlines,
): void {
  const [one] = logs;
  if (one === undefined) return;
  const offsets = new Set(logs.map(({ offset }) => offset));
  const found = readSomeLogs(reader, first, offsets, one.emitter.logs.first, resolver);
  for (const log of logs) {
    const outline = found.get(log.offset);
    if (outline !== undefined) outlines.set(log, outline);
  }
}
