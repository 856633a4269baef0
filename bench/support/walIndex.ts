import { closeSync, openSync, readSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** Of SQLite's wal-index, which is in the machine's byte order. */
const PAGE_SIZE_AT = 14;
const FRAMES_AT = 16;
const PAGES_AT = 20;
const SALT_AT = 32;
const HEADER_SIZE = 48;

/** Of the log: its header, and before each page the header of a frame, which begins with the number of the page. */
const LOG_HEADER_SIZE = 32;
const FRAME_HEADER_SIZE = 24;

/** Growth of the write-ahead log of a database, read from the index of the log without a statement. */
export class WalIndex {
  readonly #path: string;
  readonly #shared: number;
  readonly #header = Buffer.alloc(HEADER_SIZE);
  #salt = 0;
  #seen = 0;
  #frames = 0;
  #newest = 0;

  constructor(path: string) {
    this.#path = path;
    this.#shared = openSync(`${path}-shm`, "r");
    this.observe();
    this.#frames = 0;
  }

  /** To be called after each commit. A log that began again has another salt. */
  observe(): void {
    readSync(this.#shared, this.#header, 0, HEADER_SIZE, 0);
    const [frames, salt] = [this.#header.readUInt32LE(FRAMES_AT), this.#header.readUInt32LE(SALT_AT)];
    this.#newest = salt === this.#salt ? frames - this.#seen : frames;
    this.#frames += this.#newest;
    [this.#salt, this.#seen] = [salt, frames];
  }

  /** Pages written to the log since it was opened. */
  get frames(): number {
    return this.#frames;
  }

  /** Bytes of the database with what the log adds to it. */
  get databaseBytes(): number {
    return this.#header.readUInt32LE(PAGES_AT) * this.#pageSize;
  }

  get #pageSize(): number {
    return this.#header.readUInt16LE(PAGE_SIZE_AT);
  }

  /** Number of pages of each table and index written between the last two observations. Reads all pages. */
  newestByTable(): Map<string, number> {
    const log = openSync(`${this.#path}-wal`, "r");
    const database = new DatabaseSync(this.#path, { readOnly: true });
    const owners = new Map<number, string>();
    for (const row of database.prepare("SELECT pageno, name FROM dbstat").iterate()) {
      owners.set(Number(row.pageno), String(row.name));
    }
    database.close();
    const counts = new Map<string, number>();
    const header = Buffer.alloc(4);
    for (let frame = this.#seen - this.#newest; frame < this.#seen; frame++) {
      readSync(log, header, 0, 4, LOG_HEADER_SIZE + frame * (FRAME_HEADER_SIZE + this.#pageSize));
      const owner = owners.get(header.readUInt32BE()) ?? "free";
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
    closeSync(log);
    return new Map([...counts].sort(([, a], [, b]) => b - a));
  }

  get logBytes(): number {
    return statSync(`${this.#path}-wal`).size;
  }

  close(): void {
    closeSync(this.#shared);
  }
}
