import pg from "pg";
import type { Row } from "../database.ts";
import { sizeOf, writeElement } from "./binaryArray.ts";

const SIGNATURE = Buffer.from("PGCOPY\n\xff\r\n\0", "latin1");

/** Signature, flags and the length of what extends them. */
const HEADER = SIGNATURE.length + 8;
const TRAILER = 2;

/**
 * Bytes of one COPY. The server makes a slot for each of the first 1,000 rows, at a cost that grows with their square,
 * and keeps them for the rows after these.
 */
const MAX_BYTES = 4 << 20;

/** Rows in PostgreSQL's binary format of COPY. */
export function binaryRows(rows: readonly Row[], columns: number): Buffer {
  let size = HEADER + TRAILER + rows.length * (2 + 4 * columns);
  for (const row of rows) for (let column = 0; column < columns; column++) size += sizeOf(row[column]!);
  const copy = Buffer.allocUnsafe(size);
  SIGNATURE.copy(copy);
  copy.fill(0, SIGNATURE.length, HEADER);
  let at = HEADER;
  for (const row of rows) {
    at = copy.writeInt16BE(columns, at);
    for (let column = 0; column < columns; column++) at = writeElement(copy, at, row[column]!);
  }
  copy.writeInt16BE(-1, at);
  return copy;
}

export function* copyBatches(rows: Iterable<Row>): Generator<Row[]> {
  let [batch, bytes]: [Row[], number] = [[], 0];
  for (const row of rows) {
    batch.push(row);
    for (const value of row) bytes += sizeOf(value);
    if (bytes < MAX_BYTES) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/** Messages of the driver's connection that its types lack. */
interface CopyConnection {
  readonly stream: { cork(): void; uncork(): void };
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/**
 * COPY FROM STDIN that is pipelined: the rows are sent with the statement. A server that refuses the statement ignores
 * them.
 */
export class CopyQuery extends pg.Query {
  readonly #sql: string;
  readonly #rows: Buffer;

  constructor(sql: string, rows: Buffer, callback: (error: unknown) => void) {
    super({ text: sql, callback } as pg.QueryConfig);
    this.#sql = sql;
    this.#rows = rows;
    this.submit = (connection) => this.#submit(connection as unknown as CopyConnection);
  }

  /** The rows are under way. */
  handleCopyInResponse(): void {}

  #submit(connection: CopyConnection): void {
    connection.stream.cork();
    connection.query(this.#sql);
    connection.sendCopyFromChunk(this.#rows);
    connection.endCopyFrom();
    connection.stream.uncork();
  }
}
