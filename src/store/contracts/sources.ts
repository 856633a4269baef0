import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import { codeKeys } from "../../chain/contract/compiledCode.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import { Turn } from "../../std/async.ts";
import type { Reader, Writer } from "../engine/database.ts";
import { readNumber } from "../engine/database.ts";
import { patternsOf } from "./artifacts.ts";

/** `perfect`: the metadata hash matches too. `partial`: only the code matches. */
type Match = "perfect" | "partial";

export interface SourceHead {
  readonly address: Bytes;
  readonly name: string;
  /** As in the compiler input: `Solidity` or `Yul`. */
  readonly language: string;
  readonly compiler: string;
  readonly optimized: boolean;
  readonly license: string;
  readonly verified: number;
  readonly match: Match;
}

/** `record` is the compiler input and output as JSON. */
export interface VerifiedSource extends SourceHead {
  readonly record: string;
}

export interface NewSource extends VerifiedSource {
  readonly code: Bytes;
}

/** The contract's own source, or that of equal code. */
export interface FoundSource extends VerifiedSource {
  readonly isSimilar: boolean;
}

const MATCHES = ["partial", "perfect"] as const;
const HEAD = "address, name, language, compiler, optimized, license, verified, match";
type HeadRow = [Bytes, string, string, string, number, string, number, number];

const MAX_RECORD_BYTES = 256 << 20;
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export const compressText = (text: string): Promise<Bytes> => compress(text);

export async function decompressText(bytes: Bytes): Promise<string> {
  return (await decompress(bytes, { maxOutputLength: MAX_RECORD_BYTES })).toString("utf8");
}

/** Replaces an earlier source of the same contract and code unless that matches better. Runs inside a transaction. */
export async function insertSource(
  writer: Writer,
  artifact: number,
  { address, code, match, ...source }: NewSource,
  record: Bytes,
): Promise<void> {
  const codeHash = keccak256(code);
  const rows = await writer.all<[number, number]>(
    "SELECT id, match FROM source WHERE address = ? AND code_hash = ?",
    address,
    codeHash,
  );
  if (rows.some(([, known]) => known > MATCHES.indexOf(match))) return;
  // Ids are never reused, since readers poll for higher ones.
  const id = (await readNumber(writer, "SELECT coalesce(max(id), 0) FROM source")) + 1;
  await writer.remove(
    "source",
    ["id"],
    rows.map(([replaced]) => [replaced]),
  );
  const { name, language, compiler, optimized, license, verified } = source;
  const columns = ["id", "artifact", "code_hash", ...HEAD.split(", "), "record"];
  const head = [address, name, language, compiler, Number(optimized), license, verified, MATCHES.indexOf(match)];
  await writer.insert("source", columns, [[id, artifact, codeHash, ...head, record]]);
}

/** The contract's own, else the newest with equal code, or with code that differs only in immutables. */
export async function findSource(db: Reader, address: Bytes, code: Bytes): Promise<FoundSource | undefined> {
  const same = await db.all<[number, Bytes]>(
    "SELECT id, address FROM source WHERE code_hash = ? ORDER BY match DESC, id DESC",
    keccak256(code),
  );
  const own = same.find(([, owner]) => equalBytes(owner, address));
  const id = own?.[0] ?? same[0]?.[0] ?? (await findByPattern(db, code));
  if (id === undefined) return undefined;
  return { ...(await readSource(db, id)), isSimilar: own === undefined };
}

async function findByPattern(db: Reader, code: Bytes): Promise<number | undefined> {
  const keys = (await patternsOf(db, code)).map((pattern) => codeKeys(code, pattern).exact);
  const sql =
    "SELECT s.id FROM source s JOIN artifact a ON a.id = s.artifact WHERE a.exact IN ($keys) ORDER BY s.id DESC LIMIT 1";
  const found = await db.load<[number]>(sql, keys);
  return found.length === 0 ? undefined : Math.max(...found.map(([id]) => id));
}

async function readSource(db: Reader, id: number): Promise<VerifiedSource> {
  const sql = `SELECT record, ${HEAD} FROM source WHERE id = ?`;
  const [row] = await db.all<[Bytes, ...HeadRow]>(sql, id);
  if (row === undefined) throw new ChainError("store_corrupt", `the source ${id} is gone`);
  const [record, ...head] = row;
  return { ...readHead(head), record: await decompressText(record) };
}

function readHead([address, name, language, compiler, optimized, license, verified, match]: HeadRow): SourceHead {
  const known = MATCHES[match];
  if (known === undefined) throw new ChainError("store_corrupt", "a source matches in no known way");
  return { address, name, language, compiler, optimized: optimized === 1, license, verified, match: known };
}

export interface ListedSource extends SourceHead {
  readonly abi: string;
}

/** Page, and a range of verification times in Unix seconds. */
export interface SourceWindow {
  readonly skip: number;
  readonly limit: number;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

const NEWEST = "SELECT max(id) FROM source";

/** In the order of the ids; skips replaced sources. */
export async function sourcesById(db: Reader, ids: readonly number[]): Promise<VerifiedSource[]> {
  const sql = `SELECT id, record, ${HEAD} FROM source WHERE id IN ($keys)`;
  const rows = await db.load<[number, Bytes, ...HeadRow]>(sql, ids);
  const found = new Map<number, VerifiedSource>();
  for (const [id, record, ...head] of rows) {
    found.set(id, { ...readHead(head), record: await decompressText(record) });
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}

export async function listSources(
  db: Reader,
  { skip, limit, from = 0, to = Number.MAX_SAFE_INTEGER }: SourceWindow,
): Promise<ListedSource[]> {
  const sql = `SELECT artifact, ${HEAD} FROM source WHERE id IN (${NEWEST} GROUP BY address) AND verified >= ? AND verified <= ? ORDER BY id DESC LIMIT ? OFFSET ?`;
  return withAbis(db, await db.all<[number, ...HeadRow]>(sql, from, to, limit, skip));
}

export function countSources(db: Reader, from: number): Promise<number> {
  return readNumber(db, "SELECT count(DISTINCT address) FROM source WHERE verified >= ?", from);
}

/** The newest source of each contract that has one. */
export async function sourcesOf(db: Reader, addresses: readonly Bytes[]): Promise<ListedSource[]> {
  const sql = `SELECT artifact, ${HEAD} FROM source WHERE id IN (${NEWEST} WHERE address IN ($keys) GROUP BY address)`;
  return withAbis(db, await db.load<[number, ...HeadRow]>(sql, addresses));
}

export const MAX_LISTED_ABIS = 32 << 20;

/** ABIs read between yields; one has at most a megabyte. */
const ABI_BATCH_SIZE = 10;

async function withAbis(db: Reader, rows: readonly [number, ...HeadRow][]): Promise<ListedSource[]> {
  const ids = [...new Set(rows.map(([artifact]) => artifact))];
  const abis = new Map<number, string>();
  const turn = new Turn();
  let length = 0;
  for (let at = 0; at < ids.length; at += ABI_BATCH_SIZE) {
    const sql = "SELECT id, abi FROM artifact WHERE id IN ($keys)";
    for (const [id, abi] of await db.load<[number, string]>(sql, ids.slice(at, at + ABI_BATCH_SIZE))) {
      abis.set(id, abi);
      length += abi.length;
    }
    if (length > MAX_LISTED_ABIS) throw new ChainError("limit_exceeded", "the ABIs of so many contracts are too long");
    await turn.yieldToEventLoop();
  }
  return rows.map(([artifact, ...head]) => ({ ...readHead(head), abi: abis.get(artifact) ?? "[]" }));
}
