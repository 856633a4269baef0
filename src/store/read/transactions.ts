import type { BlockNumber } from "../../chain/block/header.ts";
import type { Bytes, Hash } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { Turn } from "../../std/async.ts";
import { prefixOf } from "../dictionary/dictionary.ts";
import type { Reader } from "../engine/database.ts";
import type { Totals } from "../rows/blockBody.ts";
import { INPUT_PART } from "../rows/bodyParts.ts";
import { ByteReader, corrupt, mustHave } from "../rows/encoding.ts";
import type { Ordinal, Position } from "../rows/position.ts";
import { blockOf, firstPosition } from "../rows/position.ts";
import type { StoredTransaction, TransactionOutline, UncutTransaction } from "../rows/transactionBody.ts";
import { readBody, readHash, readIndex, readOutline, readUncut } from "../rows/transactionBody.ts";
import type { RecordRow } from "../rows/transactionRecord.ts";
import { ADDRESSES_SIZE, readRecordRow } from "../rows/transactionRecord.ts";
import { readData } from "../rows/words.ts";
import { blobKey } from "../tables/blobs.ts";
import type { OrdinalList } from "../tables/list.ts";
import { lowerBound } from "../tables/lowerBound.ts";
import { readFullBody, readUncutBody } from "../tables/overflowRows.ts";
import { AddressResolver } from "./addressResolver.ts";
import type { StoredBlock, Tip } from "./blocks.ts";
import { BlockReads } from "./blocks.ts";
import { readRowsAt } from "./transactionRows.ts";

/** Without logs, which lists do not show. */
export interface MinedTransaction extends TransactionOutline {
  readonly block: StoredBlock;
}

interface WholeTransaction extends StoredTransaction {
  readonly block: StoredBlock;
}

export type FullTransaction = MinedTransaction & UncutTransaction;

const SELECT = "SELECT t.position, t.body FROM tx t";

const AT_OR_BELOW =
  "SELECT w.column1, (SELECT max(t.position) FROM tx t WHERE t.position <= w.column1) FROM ($pairs) w";

const AT_OR_ABOVE =
  "SELECT w.column1, (SELECT t.body FROM tx t WHERE t.position >= w.column1 AND t.position < w.column2 ORDER BY t.position LIMIT 1) FROM ($pairs) w";

const FORM_SIZE = 8;

const BATCH_SIZE = 200;

/** Rows counted to find one by index; beyond this, binary search. */
const MAX_COUNTED = 1000;

export class TransactionReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  async byHash(hash: Bytes): Promise<MinedTransaction | undefined> {
    const sql = `${SELECT} JOIN tx_hash h ON h.position = t.position WHERE h.prefix = ? ORDER BY t.position DESC`;
    const found = await this.#decode(await this.#db.all<[Position, Bytes]>(sql, prefixOf(hash)));
    return found.find(({ transaction }) => equalBytes(transaction.hash, hash));
  }

  async wholeByHash(hash: Bytes): Promise<WholeTransaction | undefined> {
    const sql = `${SELECT} JOIN tx_hash h ON h.position = t.position WHERE h.prefix = ? ORDER BY t.position DESC`;
    for (const [position, row] of await this.#db.all<[Position, Bytes]>(sql, prefixOf(hash))) {
      const resolver = new AddressResolver(this.#db);
      const found = readBody(position, await readFullBody(this.#db, position, row), resolver);
      if (!equalBytes(found.transaction.hash, hash)) continue;
      await resolver.load();
      const number = blockOf(position);
      const blocks = await new BlockReads(this.#db).headers([number]);
      return { ...found, block: mustHave(blocks.get(number), `block ${number}`) };
    }
    return undefined;
  }

  async namingBlob(versionedHash: Bytes, limit: number): Promise<MinedTransaction[]> {
    const sql = "SELECT position FROM blob WHERE prefix = ? ORDER BY position DESC LIMIT ?";
    const rows = await this.#db.all<[number]>(sql, blobKey(versionedHash), limit);
    const found = await this.at(rows.map(([position]) => position));
    const naming: MinedTransaction[] = [];
    for (const mined of found) {
      const { transaction } = mined.transaction.blobVersionedHashes === null ? await this.full(mined) : mined;
      if (transaction.blobVersionedHashes?.some((name) => equalBytes(name, versionedHash))) naming.push(mined);
    }
    return naming;
  }

  async full(mined: MinedTransaction): Promise<FullTransaction> {
    if (!mined.isCut) return mined as FullTransaction;
    const { position } = mined;
    const [row] = await this.#db.all("SELECT body FROM tx WHERE position = ?", position);
    const resolver = new AddressResolver(this.#db);
    const uncut = readUncut(position, await readUncutBody(this.#db, position, row![0] as Bytes), resolver);
    await resolver.load();
    return { ...mined, ...uncut, isCut: false };
  }

  /**
   * Adds inputs from overflow parts to the first transactions, up to `most` bytes. A stored input is hardly longer than
   * the input, so all that fit are read.
   */
  async withInputs(found: readonly MinedTransaction[], most: number): Promise<MinedTransaction[]> {
    const cut = found.filter(({ transaction }) => transaction.input === null).map(({ position }) => position);
    if (cut.length === 0) return [...found];
    const ofInputs = `FROM tx_part WHERE part = ${INPUT_PART} AND position IN ($keys)`;
    const sizes = new Map(await this.#db.load<[number, number]>(`SELECT position, length(body) ${ofInputs}`, cut));
    let size = 0;
    const read = cut.filter((position) => {
      size += (sizes.get(position) ?? 0) - FORM_SIZE;
      return size <= most;
    });
    const rows = await this.#db.load<[number, Bytes]>(`SELECT position, body ${ofInputs}`, read);
    const inputs = new Map(rows.map(([position, body]) => [position, readData(new ByteReader(body))]));
    return found.map((mined) => {
      const input = inputs.get(mined.position);
      return input === undefined ? mined : { ...mined, transaction: { ...mined.transaction, input } };
    });
  }

  async records(positions: readonly Position[]): Promise<RecordRow[]> {
    const rows = await readRowsAt(this.#db, positions);
    const blocks = await new BlockReads(this.#db).stamps(new Set(positions.map(blockOf)));
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
    const [row] = await this.#db.all<[Bytes]>("SELECT body FROM tx WHERE position = ?", position);
    const [body] = mustHave(row, `the transaction at ${position}`);
    const whole = await readUncutBody(this.#db, position, body);
    return readUncut(position, whole, new AddressResolver(this.#db)).transaction.input;
  }

  /** In the order of the positions. */
  async at(positions: readonly Position[]): Promise<MinedTransaction[]> {
    const found = new Map<Position, MinedTransaction>();
    const turn = new Turn();
    for (let at = 0; at < positions.length; at += BATCH_SIZE) {
      const keys = positions.slice(at, at + BATCH_SIZE);
      const rows = await this.#db.load<[number, Bytes]>(`${SELECT} WHERE t.position IN ($keys)`, keys);
      for (const mined of await this.#decode(rows)) found.set(mined.position, mined);
      await turn.yieldToEventLoop();
    }
    return positions.map((position) => mustHave(found.get(position), `the transaction at ${position}`));
  }

  /** At or below each position: for a log, its transaction. */
  async nearest(positions: readonly Position[]): Promise<Map<Position, MinedTransaction>> {
    const pairs = positions.map((position) => [position, 0] as const);
    const rows = await this.#db.loadPairs<[Position, Position]>(AT_OR_BELOW, pairs);
    const emitters = new Map((await this.at([...new Set(rows.map(([, tx]) => tx))])).map((tx) => [tx.position, tx]));
    const transactionOf = (position: Position, tx: Position) =>
      mustHave(emitters.get(tx), `the transaction at or below ${position}`);
    return new Map(rows.map(([position, tx]) => [position, transactionOf(position, tx)]));
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
    const sql = "SELECT DISTINCT position FROM blob WHERE position < ? ORDER BY position DESC LIMIT ?";
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
    const blocks = new BlockReads(this.#db);
    const upTo = (totals: Totals | undefined, number: number) => mustHave(totals, `block ${number}`).transactions;
    const [block = tip.number] = await lowerBound(
      [to],
      [first, tip.number],
      (numbers) => blocks.totals(numbers),
      (totals, count, number) => upTo(totals, number) >= count,
    );
    const totals = await blocks.totals([block - 1, block]);
    const above = upTo(totals.get(block), block) - to;
    const before = totals.get(block - 1)?.transactions ?? 0;
    const isFar = above > MAX_COUNTED;
    const end = isFar ? await this.#search(block, to - before) : firstPosition(block + 1);
    const sql = "SELECT position FROM tx WHERE position < ? ORDER BY position DESC LIMIT ? OFFSET ?";
    const rows = await this.#db.all<[number]>(sql, end, to - from, isFar ? 0 : above);
    return rows.map(([position]) => position).reverse();
  }

  /** Binary search for the position of an index in a block. */
  async #search(block: BlockNumber, index: number): Promise<Position> {
    const end = firstPosition(block + 1);
    const bodies = async (positions: readonly Position[]) => {
      const pairs = positions.map((position) => [position, end] as const);
      return new Map(await this.#db.loadPairs<[number, Bytes | null]>(AT_OR_ABOVE, pairs));
    };
    const isPast = (body: Bytes | null | undefined, sought: number) =>
      body === null || body === undefined || readIndex(body) >= sought;
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
    const transactions: StoredTransaction[] = [];
    for (const [position, row] of rows) {
      transactions.push(readBody(position, await readFullBody(this.#db, position, row), resolver));
    }
    await resolver.load();
    return transactions;
  }

  async #decode(rows: readonly [Position, Bytes][]): Promise<MinedTransaction[]> {
    const resolver = new AddressResolver(this.#db, { infos: true });
    const numbers = new Set(rows.map(([position]) => blockOf(position)));
    const blocks = await new BlockReads(this.#db).headers(numbers);
    const found = rows.map(([position, body]) => {
      const outline = readOutline(position, body, resolver);
      const number = blockOf(position);
      return { ...outline, block: mustHave(blocks.get(number), `block ${number}`) };
    });
    await resolver.load();
    return found;
  }
}
