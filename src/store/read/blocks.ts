import type { BlockSums } from "../../chain/block/fees.ts";
import type { BlockNumber, Header } from "../../chain/block/header.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { prefixOf } from "../dictionary/dictionary.ts";
import type { Reader } from "../engine/database.ts";
import { inDialect } from "../engine/database.ts";
import { findKeys, soughtKeys } from "../keys/findKeys.ts";
import { BLOCK_KEYS } from "../keys/keyTable.ts";
import type { BlockStamp, Totals } from "../rows/blockBody.ts";
import { readBlockStamp, readHeaderBody, readTotals } from "../rows/blockBody.ts";
import { asBytes, mustHave } from "../rows/encoding.ts";
import { firstPosition } from "../rows/position.ts";
import type { OrdinalList } from "../tables/list.ts";
import { lowerBound } from "../tables/lowerBound.ts";
import { loadCached, loadCachedOne } from "./snapshotCache.ts";

/** Newest indexed block: parent and totals of the next one. */
export interface Tip {
  readonly number: BlockNumber;
  readonly hash: Bytes;
  readonly timestamp: number;
  /** Running maximum of block times. */
  readonly latest: number;
  readonly totals: Totals;
  readonly digest: Bytes;
}

export interface StoredBlock {
  readonly header: Header;
  readonly sums: BlockSums;
}

/** A block with 16 withdrawals takes 8 kB. */
const MAX_CACHED_BLOCKS = 1000;

export class BlockReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  async tip(): Promise<Tip | undefined> {
    return loadCachedOne(this.#db, "tip", async () =>
      asTip(await this.#db.all<BlockRow>(`${SELECT} ORDER BY b.number DESC LIMIT 1`)),
    );
  }

  async tipAt(number: BlockNumber): Promise<Tip | undefined> {
    // Only the last one: a walk over the chain asks for each block once.
    const cached = this.#db.snapshotCache<"one", Tip>("tip at");
    const known = cached.get("one");
    if (known?.number === number) return known;
    const tip = asTip(await this.#db.all<BlockRow>(`${SELECT} WHERE b.number = ?`, number));
    if (tip !== undefined) cached.set("one", tip);
    return tip;
  }

  async first(): Promise<StoredBlock | undefined> {
    return loadCachedOne(this.#db, "first", async () =>
      asBlock(await this.#db.all<BlockRow>(`${SELECT} ORDER BY b.number LIMIT 1`)),
    );
  }

  async byNumber(number: BlockNumber): Promise<StoredBlock | undefined> {
    return asBlock(await this.#db.all<BlockRow>(`${SELECT} WHERE b.number = ?`, number));
  }

  async byHash(hash: Bytes): Promise<StoredBlock | undefined> {
    for (const row of await this.#db.loadPairs<BlockRow>(BY_HASH(this.#db), soughtKeys([prefixOf(hash)]))) {
      const block = readBlock(row);
      if (equalBytes(block.header.hash, hash)) return block;
    }
    return undefined;
  }

  async headers(numbers: Iterable<BlockNumber>): Promise<Map<BlockNumber, StoredBlock>> {
    const find = async (missing: BlockNumber[]) => {
      const rows = await this.#db.load<BlockRow>(`${SELECT} WHERE b.number IN ($keys)`, missing);
      return rows.map((row): [BlockNumber, StoredBlock] => [row[0], readBlock(row)]);
    };
    return loadCached<BlockNumber, StoredBlock>(this.#db, "block", numbers, find, MAX_CACHED_BLOCKS);
  }

  /** Header fields that lists show. */
  async stamps(numbers: Iterable<BlockNumber>): Promise<Map<BlockNumber, BlockStamp>> {
    return loadCached<BlockNumber, BlockStamp>(this.#db, "block stamp", numbers, async (missing) => {
      const sql = `${BODY} WHERE number IN ($keys)`;
      const rows = await this.#db.load<[BlockNumber, Bytes]>(sql, missing);
      return rows.map(([number, body]): [BlockNumber, BlockStamp] => [number, readBlockStamp(number, body)]);
    });
  }

  async totals(numbers: readonly BlockNumber[]): Promise<Map<BlockNumber, Totals>> {
    const rows = await this.#db.load<[number, Bytes]>(
      "SELECT number, totals FROM block WHERE number IN ($keys)",
      numbers,
    );
    return new Map(rows.map(([number, totals]) => [number, readTotals(totals)]));
  }

  /** First block in [low, high) whose running maximum time exceeds `time`, else `high`. */
  async firstAfter(time: number, low: BlockNumber, high: BlockNumber): Promise<BlockNumber> {
    const [first] = await this.firstAfterEach([time], low, high);
    return first ?? high;
  }

  /** Several times in one search. */
  firstAfterEach(times: readonly number[], low: BlockNumber, high: BlockNumber): Promise<BlockNumber[]> {
    return lowerBound(
      times,
      [low, high],
      (numbers) => this.#latestTimes(numbers),
      (latest, time, number) => mustHave(latest, `block ${number}`) > time,
    );
  }

  async #latestTimes(numbers: readonly number[]): Promise<Map<number, number>> {
    const rows = await this.#db.load<BlockRow>(`${SELECT} WHERE b.number IN ($keys)`, numbers);
    return new Map(rows.map((row) => [row[0], readTip(row).latest]));
  }

  async fees(from: BlockNumber, to: BlockNumber): Promise<bigint> {
    const rows = await this.#db.all<[number, Bytes]>(
      "SELECT number, body FROM block WHERE number BETWEEN ? AND ?",
      from,
      to,
    );
    return rows.reduce((sum, row) => sum + readBlock(row).sums.fees, 0n);
  }

  async range(from: BlockNumber, limit: number): Promise<(Tip & StoredBlock)[]> {
    const rows = await this.#db.all<BlockRow>(`${SELECT} WHERE b.number >= ? ORDER BY b.number LIMIT ?`, from, limit);
    return rows.map((row) => ({ ...readTip(row), ...readBlock(row) }));
  }
}

/** Blocks as a list; a block is represented by its first position. */
export function blockList(first: BlockNumber, tip: BlockNumber): OrdinalList {
  return {
    count: async () => tip - first + 1,
    slice: async (from, to) =>
      Array.from({ length: Math.max(to - from, 0) }, (_, at) => firstPosition(first + from + at)),
  };
}

const SELECT =
  "SELECT b.number, b.body, b.totals, b.digest, t.latest FROM block b LEFT JOIN block_time t ON t.number = b.number";

const BODY = "SELECT number, body FROM block";

const BY_HASH = inDialect(
  (dialect) =>
    `SELECT b.number, b.body, b.totals, b.digest FROM (${findKeys(BLOCK_KEYS, dialect)}) h ${dialect.joinInOrder} block b WHERE b.number = h.value`,
);
type BlockRow = [number: BlockNumber, body: Bytes, totals: Bytes, digest: Bytes, latest: number | null];

function asBlock([row]: readonly Pick<BlockRow, 0 | 1>[]): StoredBlock | undefined {
  return row && readBlock(row);
}

function readBlock(row: Pick<BlockRow, 0 | 1>): StoredBlock {
  return readHeaderBody(row[0], row[1]);
}

function asTip([row]: readonly BlockRow[]): Tip | undefined {
  return row && readTip(row);
}

function readTip([height, body, totals, digest, latestTime]: BlockRow): Tip {
  const { header } = readHeaderBody(height, body);
  const { number, hash, timestamp } = header;
  const latest = latestTime ?? timestamp;
  return { number, hash, timestamp, latest, totals: readTotals(totals), digest: asBytes(digest) };
}
