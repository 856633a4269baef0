import { createHash } from "node:crypto";
import { asChainError, ChainError } from "../chain/error.ts";
import type { Database, Fence, ReadDatabase, Reader, Row, Value, Writer } from "./engine/database.ts";
import { readNumber } from "./engine/database.ts";

/** Name of the note in `meta` that says how far a copy is. */
const MARKER = "copy";

/** Copied at the end, so that the target is no store before. */
const LAST = "meta";

const PAGE_BYTES = 8 << 20;
const PAGE_ROWS = { first: 100, max: 5000 };

export interface CopyStep {
  readonly table: string;
  /** Of all tables. */
  readonly copied: number;
  readonly rows: number;
}

interface CopyOptions {
  readonly fence: Fence;
  readonly onStep: (step: CopyStep) => void;
}

interface Marker {
  /** Digest of the source's own notes, which change with every commit to an index. */
  readonly source: string;
  readonly done: readonly string[];
  readonly table?: string | undefined;
  /** Last copied row. */
  readonly after?: readonly Value[] | undefined;
}

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

export async function readMarker(db: Reader): Promise<string | undefined> {
  const [row] = await db.all<[string]>("SELECT value FROM meta WHERE name = ?", MARKER);
  return row?.[0];
}

/** Marks an empty database as an unfinished copy. A copy of another source, or of another state, begins again. */
export async function startCopy(source: Database, target: Database, fence: Fence): Promise<Marker> {
  const identity = await digestOf(source, ["meta", "stage"]);
  const text = await readMarker(target);
  const known = text === undefined ? undefined : decodeMarker(text);
  if (known?.source === identity) return known;
  const marker: Marker = { source: identity, done: [] };
  const tables = (await target.tables()).filter((table) => table !== LAST);
  await target.transaction(fence, async (writer) => {
    for (const table of tables) await writer.run(`DELETE FROM ${table}`);
    await writeMarker(writer, marker);
  });
  return marker;
}

export async function copyTables(source: Database, target: Database, { fence, onStep }: CopyOptions): Promise<void> {
  let marker = await startCopy(source, target, fence);
  const tables = await describeTables(source);
  const counts = new Map<string, number>();
  for (const { name } of tables) counts.set(name, await readNumber(source, `SELECT count(*) FROM ${name}`));
  const rows = [...counts.values()].reduce((sum, count) => sum + count, 0);
  let copied = marker.done.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
  if (marker.table !== undefined) copied += await readNumber(target, `SELECT count(*) FROM ${marker.table}`);
  for (const table of tables) {
    if (marker.done.includes(table.name) || table.name === LAST) continue;
    const after = marker.table === table.name ? marker.after : undefined;
    for await (const page of pagesOf(source, table, after)) {
      marker = { ...marker, table: table.name, after: keyOf(table, page.at(-1)!) };
      await target.transaction(fence, async (writer) => {
        await writer.insert(table.name, table.columns, page);
        await writeMarker(writer, marker);
      });
      copied += page.length;
      onStep({ table: table.name, copied, rows });
    }
    marker = { source: marker.source, done: [...marker.done, table.name] };
  }
  await finish(source, target, fence);
  onStep({ table: LAST, copied: rows, rows });
}

async function finish(source: Database, target: Database, fence: Fence): Promise<void> {
  const notes = await source.all("SELECT name, value FROM meta");
  await target.transaction(fence, async (writer) => {
    await writer.run("DELETE FROM meta");
    await writer.insert("meta", ["name", "value"], notes);
  });
}

/** A digest over all rows of all tables, equal for equal contents in any engine. */
export async function contentDigest(db: ReadDatabase): Promise<string> {
  return digestOf(
    db,
    (await describeTables(db)).map(({ name }) => name),
  );
}

async function digestOf(db: ReadDatabase, names: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const table of (await describeTables(db)).filter(({ name }) => names.includes(name))) {
    hash.update(`${table.name}(${table.columns})\n`);
    for await (const page of pagesOf(db, table)) {
      for (const row of page) if (table.name !== LAST || row[0] !== MARKER) hash.update(describeRow(row));
    }
  }
  return hash.digest("hex");
}

/** With the length of each value, so that no two rows have the same text. */
function describeRow(row: Row): string {
  return `${row.map((value) => describeValue(value)).join(",")}\n`;
}

function describeValue(value: Value): string {
  if (value === null) return "null";
  if (typeof value === "number") return String(value);
  // PostgreSQL has no zero character in text.
  if (typeof value === "string") return JSON.stringify(value.replaceAll("\0", "\ufffd"));
  return `x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex")}`;
}

/** In the order of names. The columns of the key come first. */
async function describeTables(db: ReadDatabase): Promise<Table[]> {
  const tables: Table[] = [];
  for (const name of (await db.tables()).sort()) {
    const found = await db.all<[string, number]>(db.dialect.columns, name);
    const key = found.filter(([, place]) => place > 0).sort(([, a], [, b]) => a - b);
    if (key.length === 0) throw new ChainError("internal", `the table ${name} has no primary key`);
    tables.push({ name, columns: found.map(([column]) => column), key: key.map(([column]) => column) });
  }
  return tables;
}

async function* pagesOf(db: ReadDatabase, table: Table, start?: readonly Value[]): AsyncGenerator<Row[]> {
  const { name, columns, key } = table;
  const places = key.map(() => "?").join(",");
  let count = PAGE_ROWS.first;
  for (let after = start; ; ) {
    const where = after === undefined ? "" : `WHERE (${key.join(",")}) > (${places})`;
    const sql = `SELECT ${columns.join(",")} FROM ${name} ${where} ORDER BY ${key.join(",")} LIMIT ${count}`;
    const page = await db.all(sql, ...(after ?? []));
    if (page.length > 0) yield page;
    if (page.length < count) return;
    after = keyOf(table, page.at(-1)!);
    count = Math.max(1, Math.min(PAGE_ROWS.max, Math.floor((PAGE_BYTES * page.length) / sizeOf(page))));
  }
}

function sizeOf(page: readonly Row[]): number {
  let size = 1;
  for (const row of page) for (const value of row) size += typeof value === "object" ? (value?.length ?? 1) : 8;
  return size;
}

function keyOf({ columns, key }: Table, row: Row): Value[] {
  return key.map((column) => row[columns.indexOf(column)]!);
}

async function writeMarker(writer: Writer, { after, ...marker }: Marker): Promise<void> {
  const encoded = after?.map((value) =>
    value instanceof Uint8Array ? { hex: Buffer.from(value).toString("hex") } : value,
  );
  await writer.upsert("meta", ["name", "value"], [[MARKER, JSON.stringify({ ...marker, after: encoded })]]);
}

type EncodedValue = Exclude<Value, Uint8Array> | { readonly hex: string };

function decodeMarker(text: string): Marker {
  try {
    const marker = JSON.parse(text) as Omit<Marker, "after"> & { readonly after?: readonly EncodedValue[] };
    const after = marker.after?.map((value) =>
      typeof value === "object" && value !== null ? new Uint8Array(Buffer.from(value.hex, "hex")) : value,
    );
    return { ...marker, after };
  } catch (error) {
    throw new ChainError("store_corrupt", `the note of an unfinished copy is damaged: ${asChainError(error).message}`);
  }
}
