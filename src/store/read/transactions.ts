import type { BlockNumber } from "../../chain/block/header.ts";
import type { Bytes, Hash } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { Turn } from "../../std/async.ts";
import { prefixOf } from "../dictionary/dictionary.ts";
import type { Reader } from "../engine/database.ts";
import { inDialect } from "../engine/database.ts";
import { findKeys, findPackedKey, soughtKeys } from "../keys/findKeys.ts";
import { BLOB_KEYS, TRANSACTION_KEYS } from "../keys/keyTable.ts";
import { patternOf } from "../keys/packedEntries.ts";
import type { Totals } from "../rows/blockBody.ts";
import { readHeaderBody } from "../rows/blockBody.ts";
import { INPUT_PART } from "../rows/bodyParts.ts";
import { ByteReader, corrupt, mustHave } from "../rows/encoding.ts";
import type { Ordinal, Position } from "../rows/position.ts";
import { blockOf, firstPosition, MAX_SLOTS } from "../rows/position.ts";
import type { StoredTransaction, TransactionOutline, UncutTransaction } from "../rows/transactionBody.ts";
import { readBody, readHash, readIndex, readOutline, readUncut } from "../rows/transactionBody.ts";
import type { RecordRow } from "../rows/transactionRecord.ts";
import { ADDRESSES_SIZE, readRecordRow } from "../rows/transactionRecord.ts";
import { readData } from "../rows/words.ts";
import { blobKey } from "../tables/blobs.ts";
import type { OrdinalList } from "../tables/list.ts";
import { keepLoaded, lowerBound } from "../tables/lowerBound.ts";
import { readFullBodies, readUncutBodies } from "../tables/overflowRows.ts";
import { AddressResolver } from "./addressResolver.ts";
import type { StoredBlock, Tip } from "./blocks.ts";
import { BlockReads } from "./blocks.ts";
import { nearestBelow, pairWithBlock, readRowsAt } from "./transactionRows.ts";

/** Without logs, unless they are asked for. */
export interface MinedTransaction extends TransactionOutline {
  readonly block: StoredBlock;
}

interface WholeTransaction extends StoredTransaction {
  readonly block: StoredBlock;
}

export type FullTransaction = MinedTransaction & UncutTransaction;

const SELECT = "SELECT t.position, t.body FROM tx t";

/** Transactions by key, and their blocks, with one search for the key. */
const BY_HASH = inDialect(
  (dialect) =>
    `WITH found AS MATERIALIZED (SELECT h.value FROM (${findKeys(TRANSACTION_KEYS, dialect)}) h)
     SELECT t.position, t.body, 0 FROM found f ${dialect.joinInOrder} tx t WHERE t.position = f.value
     UNION ALL SELECT b.number, b.body, 1 FROM block b WHERE b.number IN (SELECT f.value / ${MAX_SLOTS} FROM found f)`,
);
const PACKED_BLOBS = inDialect(
  (dialect) => `SELECT h.value FROM (${findPackedKey(BLOB_KEYS, dialect)}) h ORDER BY h.value DESC LIMIT ?`,
);
/** Each is there once, however many positions it is the nearest to. */
const AT_OR_BELOW = inDialect((dialect) => `${SELECT} WHERE t.position IN (${nearestBelow(dialect)})`);

const AT_OR_ABOVE = inDialect(
  ({ ofEachPair, joinInOrder }) =>
    `SELECT e.column1, t.body FROM (${ofEachPair("min(n.position)", "tx n", "n.position >= w.column1 AND n.position < w.column2")}) e ${joinInOrder} tx t WHERE t.position = e.value`,
);

type PositionedRow = [position: Position, row: Bytes];

/** Maximum overhead of a stored input, in bytes. */
const FORM_SIZE = 8;

const BATCH_SIZE = 200;

/** Rows counted to find one by index; beyond this, binary search. */
const MAX_COUNTED = 1000;

export class TransactionReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  /** `related` reads what follows from the row at the same time as its addresses, whose bytes are filled in when `loaded` resolves. */
  async byHash(
    hash: Bytes,
    related: (mined: MinedTransaction, loaded: Promise<void>) => Promise<unknown> = async () => {},
    withLogs = false,
  ): Promise<MinedTransaction | undefined> {
    const found = await this.#findRow(hash);
    if (found === undefined) return undefined;
    const [row, block] = found;
    const resolver = new AddressResolver(this.#db, { infos: true });
    const mined = { ...readOutline(...row, resolver, withLogs ? resolver : undefined), block };
    const loaded = resolver.load();
    await Promise.all([loaded, related(mined, loaded)]);
    return mined;
  }

  /** The row of a transaction, together with the block that it is in. */
  async #findRow(hash: Bytes): Promise<readonly [row: PositionedRow, block: StoredBlock] | undefined> {
    const keys = soughtKeys([prefixOf(hash)]);
    const rows = await this.#db.loadPairs<[key: number, body: Bytes, isBlock: number]>(BY_HASH(this.#db), keys);
    const row = rows.find(([, body, isBlock]) => isBlock === 0 && equalBytes(readHash(body), hash));
    if (row === undefined) return undefined;
    const [position, body] = row;
    const number = blockOf(position);
    const block = rows.find(([key, , isBlock]) => isBlock === 1 && key === number);
    return [[position, body], readHeaderBody(number, mustHave(block, `block ${number}`)[1])];
  }

  async wholeByHash(hash: Bytes): Promise<WholeTransaction | undefined> {
    const found = await this.#findRow(hash);
    if (found === undefined) return undefined;
    const [row, block] = found;
    const [position] = row;
    const [body] = await readFullBodies(this.#db, [row]);
    const resolver = new AddressResolver(this.#db);
    const whole = readBody(position, mustHave(body, `the transaction at ${position}`), resolver);
    await resolver.load();
    return { ...whole, block };
  }

  async namingBlob(versionedHash: Bytes, limit: number): Promise<MinedTransaction[]> {
    const key = blobKey(versionedHash);
    // Separate, so that of a blob that many transactions name only the newest rows are read.
    const rows = await Promise.all([
      this.#db.all<[Position]>("SELECT value FROM blob_hash WHERE prefix = ? ORDER BY value DESC LIMIT ?", key, limit),
      this.#db.all<[Position]>(PACKED_BLOBS(this.#db), key, patternOf(key), limit),
    ]);
    const newest = [...new Set(rows.flat(2))].toSorted((a, b) => b - a);
    const found = await this.at(newest.slice(0, limit));
    const unread = found.filter(({ transaction }) => transaction.blobVersionedHashes === null);
    const full = new Map((await this.#fullEach(unread)).map((each) => [each.position, each]));
    return found.filter((mined) => {
      const { blobVersionedHashes } = (full.get(mined.position) ?? mined).transaction;
      return blobVersionedHashes?.some((name) => equalBytes(name, versionedHash)) ?? false;
    });
  }

  async full(mined: MinedTransaction): Promise<FullTransaction> {
    if (!mined.isCut) return mined as FullTransaction;
    const [full] = await this.#fullEach([mined]);
    return mustHave(full, `the transaction at ${mined.position}`);
  }

  /** The same for several, in their order. */
  async #fullEach(mined: readonly MinedTransaction[]): Promise<FullTransaction[]> {
    const cut = mined.filter(({ isCut }) => isCut).map(({ position }) => position);
    const bodies = await readUncutBodies(this.#db, cut);
    const resolver = new AddressResolver(this.#db);
    const full = mined.map((each) => {
      if (!each.isCut) return each as FullTransaction;
      const body = mustHave(bodies.get(each.position), `the transaction at ${each.position}`);
      return { ...each, ...readUncut(each.position, body, resolver), isCut: false };
    });
    await resolver.load();
    return full;
  }

  /**
   * Adds inputs from overflow parts to the first transactions, up to `most` bytes. A stored input is hardly longer than
   * the input, so all that fit are read.
   */
  async withInputs(found: readonly MinedTransaction[], max: number): Promise<MinedTransaction[]> {
    const cut = found.filter(({ transaction }) => transaction.input === null).map(({ position }) => position);
    if (cut.length === 0) return [...found];
    const ofInputs = `FROM tx_part WHERE part = ${INPUT_PART} AND position IN ($keys)`;
    const sizes = new Map(await this.#db.load<[number, number]>(`SELECT position, length(body) ${ofInputs}`, cut));
    let size = 0;
    const read = cut.filter((position) => {
      size += (sizes.get(position) ?? 0) - FORM_SIZE;
      return size <= max;
    });
    const rows = await this.#db.load<[number, Bytes]>(`SELECT position, body ${ofInputs}`, read);
    const inputs = new Map(rows.map(([position, body]) => [position, readData(new ByteReader(body))]));
    return found.map((mined) => {
      const input = inputs.get(mined.position);
      return input === undefined ? mined : { ...mined, transaction: { ...mined.transaction, input } };
    });
  }

  async records(positions: readonly Position[]): Promise<RecordRow[]> {
    const [rows, blocks] = await Promise.all([
      readRowsAt(this.#db, positions),
      new BlockReads(this.#db).stamps(new Set(positions.map(blockOf))),
    ]);
    const resolver = new AddressResolver(this.#db);
    const addresses = new Uint8Array(positions.length * ADDRESSES_SIZE);
    const records = positions.map((position, at) => {
      const row = rows[at];
      if (row?.key !== position) throw corrupt(`the transaction at ${position} is missing`);
      const block = mustHave(blocks.get(blockOf(position)), `the block of ${position}`);
      return readRecordRow(row, block, addresses, at * ADDRESSES_SIZE, resolver);
    });
    await resolver.load();
    return records;
  }

  async input(position: Position): Promise<Bytes> {
    const body = mustHave(
      (await readUncutBodies(this.#db, [position])).get(position),
      `the transaction at ${position}`,
    );
    return readUncut(position, body, new AddressResolver(this.#db)).transaction.input;
  }

  /** In the order of the positions. */
  async at(positions: readonly Position[], withLogs = false): Promise<MinedTransaction[]> {
    const found = new Map<Position, MinedTransaction>();
    const turn = new Turn();
    for (let at = 0; at < positions.length; at += BATCH_SIZE) {
      const keys = positions.slice(at, at + BATCH_SIZE);
      const [rows, blocks] = await Promise.all([
        this.#db.load<[number, Bytes]>(`${SELECT} WHERE t.position IN ($keys)`, keys),
        new BlockReads(this.#db).headers(new Set(keys.map(blockOf))),
      ]);
      for (const mined of await this.#decode(rows, blocks, withLogs)) found.set(mined.position, mined);
      await turn.yieldToEventLoop();
    }
    return positions.map((position) => mustHave(found.get(position), `the transaction at ${position}`));
  }

  /** At or below each position: for a log, its transaction. */
  async nearest(positions: readonly Position[]): Promise<Map<Position, MinedTransaction>> {
    const found: MinedTransaction[] = [];
    for (let at = 0; at < positions.length; at += BATCH_SIZE) {
      const pairs = positions.slice(at, at + BATCH_SIZE).map(pairWithBlock);
      const [rows, blocks] = await Promise.all([
        this.#db.loadPairs<[Position, Bytes]>(AT_OR_BELOW(this.#db), pairs),
        new BlockReads(this.#db).headers(new Set(pairs.map(([position]) => blockOf(position)))),
      ]);
      found.push(...(await this.#decode(rows, blocks)));
    }
    found.sort((a, b) => a.position - b.position);
    return new Map(
      positions.map((position) => {
        const nearest = found.findLast((mined) => mined.position <= position);
        return [position, mustHave(nearest, `the transaction at or below ${position}`)];
      }),
    );
  }

  below(position: Position = Number.MAX_SAFE_INTEGER, count: number): Promise<Position[]> {
    return this.#positions(
      "SELECT position FROM tx WHERE position < ? ORDER BY position DESC LIMIT ?",
      position,
      count,
    );
  }

  /** Of blob transactions, newest first. */
  namingBlobs(position: Position = Number.MAX_SAFE_INTEGER, count: number): Promise<Position[]> {
    const sql = "SELECT position FROM blob_tx WHERE position < ? ORDER BY position DESC LIMIT ?";
    return this.#positions(sql, position, count);
  }

  after(number: BlockNumber, position: Position = firstPosition(number) - 1, count: number): Promise<Position[]> {
    const sql = "SELECT position FROM tx WHERE position > ? AND position < ? ORDER BY position LIMIT ?";
    return this.#positions(sql, position, firstPosition(number + 1), count);
  }

  async #positions(sql: string, ...values: number[]): Promise<Position[]> {
    return (await this.#db.all<[Position]>(sql, ...values)).map(([position]) => position);
  }

  all(first: BlockNumber, tip: Tip): OrdinalList {
    return {
      count: async () => tip.totals.transactions,
      slice: (from, to) => this.#sliceAll(first, tip, from, to),
    };
  }

  /** The block is found by totals, the position by counting rows. */
  async #sliceAll(first: BlockNumber, tip: Tip, from: Ordinal, to: Ordinal): Promise<Position[]> {
    if (to <= Math.max(from, 0)) return [];
    const newer = tip.totals.transactions - to;
    if (newer >= 0 && newer <= MAX_COUNTED) {
      return this.#countDown(firstPosition(tip.number + 1), newer, to - from);
    }
    const blocks = new BlockReads(this.#db);
    const [load, totals] = keepLoaded((numbers) => blocks.totals(numbers));
    const upTo = (totals: Totals | undefined, number: number) => mustHave(totals, `block ${number}`).transactions;
    const [block = tip.number] = await lowerBound(
      [to],
      [first, tip.number],
      load,
      (found, count, number) => upTo(found, number) >= count,
    );
    const above = upTo(block === tip.number ? tip.totals : totals.get(block), block) - to;
    const before = totals.get(block - 1)?.transactions ?? 0;
    const isFar = above > MAX_COUNTED;
    const end = isFar ? await this.#search(block, to - before) : firstPosition(block + 1);
    return this.#countDown(end, isFar ? 0 : above, to - from);
  }

  /** The last `count` positions below an end, but for some, in ascending order. */
  async #countDown(end: Position, skipped: number, count: number): Promise<Position[]> {
    const sql = "SELECT position FROM tx WHERE position < ? ORDER BY position DESC LIMIT ? OFFSET ?";
    return (await this.#positions(sql, end, count, skipped)).reverse();
  }

  /** Binary search for the position of an index in a block. */
  async #search(block: BlockNumber, index: number): Promise<Position> {
    const end = firstPosition(block + 1);
    const bodies = async (positions: readonly Position[]) => {
      const pairs = positions.map((position) => [position, end] as const);
      return new Map(await this.#db.loadPairs<[number, Bytes | null]>(AT_OR_ABOVE(this.#db), pairs));
    };
    const isPast = (body: Bytes | null | undefined, target: number) =>
      body === null || body === undefined || readIndex(body) >= target;
    const [position = end] = await lowerBound([index], [firstPosition(block) + index, end], bodies, isPast);
    return position;
  }

  async positionsInBlock(number: BlockNumber, from: number, to: number): Promise<Position[]> {
    const sql = "SELECT position FROM tx WHERE position >= ? AND position < ? ORDER BY position LIMIT ? OFFSET ?";
    const isFar = from > MAX_COUNTED;
    const start = isFar ? await this.#search(number, from) : firstPosition(number);
    const rows = await this.#db.all<[number]>(sql, start, firstPosition(number + 1), to - from, isFar ? 0 : from);
    return rows.map(([position]) => position);
  }

  async hashesIn(number: BlockNumber, count: number): Promise<Hash[]> {
    const sql = "SELECT body FROM tx WHERE position >= ? AND position < ? ORDER BY position LIMIT ?";
    const bounds = [firstPosition(number), firstPosition(number + 1)] as const;
    if (count === 0) return [];
    const rows = await this.#db.all<[Bytes]>(sql, ...bounds, count);
    return rows.map(([body]) => readHash(body));
  }

  /** By index [from, to), with all fields. */
  async inBlock(number: BlockNumber, from: number, to: number): Promise<StoredTransaction[]> {
    const sql = "SELECT position, body FROM tx WHERE position >= ? AND position < ? ORDER BY position LIMIT ? OFFSET ?";
    const range = [firstPosition(number), firstPosition(number + 1)];
    const rows = await this.#db.all<[Position, Bytes]>(sql, ...range, to - from, from);
    const resolver = new AddressResolver(this.#db);
    const bodies = await readFullBodies(this.#db, rows);
    const transactions = rows.map(([position], at) => readBody(position, bodies[at]!, resolver));
    await resolver.load();
    return transactions;
  }

  /** With the blocks that they are in, where these were read before. */
  async #decode(
    rows: readonly [Position, Bytes][],
    known?: ReadonlyMap<BlockNumber, StoredBlock>,
    withLogs = false,
  ): Promise<MinedTransaction[]> {
    const resolver = new AddressResolver(this.#db, { infos: true });
    // Most addresses in logs are never shown.
    const ofLogs = withLogs ? resolver.withoutInfos() : undefined;
    const outlines = rows.map(([position, body]) => readOutline(position, body, resolver, ofLogs));
    const numbers = new Set(rows.map(([position]) => blockOf(position)));
    const [blocks] = await Promise.all([known ?? new BlockReads(this.#db).headers(numbers), resolver.load()]);
    return outlines.map((outline) => {
      const number = blockOf(outline.position);
      return { ...outline, block: mustHave(blocks.get(number), `block ${number}`) };
    });
  }
}
