import type { Log, Receipt } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import type { Reader } from "../engine/database.ts";
import { keysetPages } from "../engine/keysetPages.ts";
import { PARTS, readRowHead } from "../rows/bodyParts.ts";
import { tailPart } from "../rows/dividedBody.ts";
import { ByteReader } from "../rows/encoding.ts";
import type { LogOutline } from "../rows/logBody.ts";
import { readChunk, readLogs, readTail } from "../rows/logBody.ts";
import type { Position } from "../rows/position.ts";
import { firstPosition } from "../rows/position.ts";
import type { TransactionOutline } from "../rows/transactionBody.ts";
import { readOutline } from "../rows/transactionBody.ts";
import { AddressResolver } from "./addressResolver.ts";

export interface LoggedBlock {
  readonly receipts: readonly Pick<Receipt, "logs">[];
}

interface LogsOfTransaction {
  readonly index: number;
  readonly logs: readonly Log[];
}

const ROW_BATCH_SIZE = 200;
const CHUNK_BATCH_SIZE = 100;
/** Data bytes per part; a larger log comes alone. */
const MAX_DATA = 1 << 20;

/** In order, in parts of bounded size per transaction. A transaction without logs has one empty part. */
async function* logsOfBlock(db: Reader, number: number): AsyncGenerator<LogsOfTransaction> {
  const sql = "SELECT position, body FROM tx WHERE position >= ? AND position < ? ORDER BY position LIMIT ?";
  const [first, end] = [firstPosition(number), firstPosition(number + 1)];
  const pages = keysetPages<[number, Bytes]>(ROW_BATCH_SIZE, (last, count) =>
    db.all(sql, last === undefined ? first : last[0] + 1, end, count),
  );
  for await (const rows of pages) yield* logsOfRows(db, rows);
}

export async function receiptLogsOf(db: Reader, number: number): Promise<Pick<Receipt, "logs">[]> {
  const receipts: { logs: Log[] }[] = [];
  for await (const { index, logs } of logsOfBlock(db, number)) {
    receipts[index] ??= { logs: [] };
    for (const log of logs) receipts[index].logs.push(log);
  }
  return receipts;
}

async function* logsOfRows(
  db: Reader,
  rows: readonly (readonly [position: Position, row: Bytes])[],
): AsyncGenerator<LogsOfTransaction> {
  const resolver = new AddressResolver(db);
  const read = rows.map(([position, row]) => {
    const outline = readOutline(position, row, resolver);
    const { logsAt, overflow } = readRowHead(row);
    const logs =
      overflow & PARTS.logs ? undefined : readLogs(new ByteReader(row, logsAt), outline.logs.first, resolver);
    return { outline, logs };
  });
  await resolver.load();
  for (const { outline, logs } of read) {
    if (logs === undefined) yield* logsInChunks(db, outline);
    else yield { index: outline.index, logs };
  }
}

async function* logsInChunks(
  db: Reader,
  { position, index, logs: { first: firstLog, count } }: TransactionOutline,
): AsyncGenerator<LogsOfTransaction> {
  const sql = "SELECT first, body FROM log_chunk WHERE position = ? AND first >= ? ORDER BY first LIMIT ?";
  for (let offset = 0; offset < count; ) {
    const chunks = await db.all<[number, Bytes]>(sql, position, offset, CHUNK_BATCH_SIZE);
    const resolver = new AddressResolver(db);
    const outlines: LogOutline[] = [];
    for (const [first, body] of chunks) {
      if (first !== offset + outlines.length)
        throw new ChainError("store_corrupt", "logs of a transaction are missing");
      for (const outline of readChunk(body, firstLog + first, resolver)) outlines.push(outline);
    }
    if (outlines.length === 0) throw new ChainError("store_corrupt", "logs of a transaction are missing");
    await resolver.load();
    for (const some of inParts(outlines)) {
      yield { index, logs: await withTails(db, position, offset, some) };
      offset += some.length;
    }
  }
}

function* inParts(outlines: readonly LogOutline[]): Generator<LogOutline[]> {
  let part: LogOutline[] = [];
  let size = 0;
  for (const outline of outlines) {
    const length = outline.longTail ?? 0;
    if (part.length > 0 && size + length > MAX_DATA) {
      yield part;
      part = [];
      size = 0;
    }
    part.push(outline);
    size += length;
  }
  if (part.length > 0) yield part;
}

async function withTails(
  db: Reader,
  position: Position,
  first: number,
  outlines: readonly LogOutline[],
): Promise<Log[]> {
  const sql = "SELECT part, body FROM tx_part WHERE position = ? AND part >= ? AND part < ?";
  const range = [tailPart(first), tailPart(first + outlines.length)] as const;
  const tails = new Map(await db.all<[number, Bytes]>(sql, position, ...range));
  return outlines.map(({ longTail, ...log }, at) =>
    longTail === undefined ? (log as Log) : { ...log, ...readTail(tails.get(tailPart(first + at))!) },
  );
}
