import type { Bytes } from "../chain/bytes.ts";
import { equalBytes } from "../chain/bytes.ts";
import { AddressBook } from "./addressBook.ts";
import { blobKey } from "./blobs.ts";
import type { StoredBlock, Tip } from "./blocks.ts";
import { BlockReads } from "./blocks.ts";
import { prefixOf } from "./dictionary.ts";
import { mustHave } from "./encoding.ts";
import type { Engine, Row } from "./engine/engine.ts";
import type { OrdinalList } from "./list.ts";
import { lowest } from "./lowest.ts";
import { blockOf, firstPosition } from "./position.ts";
import type { StoredTransaction, TransactionOutline } from "./transactionBody.ts";
import { readBody, readOutline } from "./transactionBody.ts";

/** A transaction with the block it is in; its logs are left out, as pages of transactions show none. */
export interface MinedTransaction extends TransactionOutline {
  readonly block: StoredBlock;
}

const SELECT = "SELECT t.position, t.body FROM tx t";

/** A transaction stands before its logs and after those of the one before. */
const EMITTED_BY =
  "SELECT log.column1, (SELECT max(t.position) FROM tx t WHERE t.position < log.column1) FROM (VALUES $pairs) log";

export class TransactionReads {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async byHash(hash: Bytes): Promise<MinedTransaction | undefined> {
    const sql = `${SELECT} JOIN tx_hash h ON h.position = t.position WHERE h.prefix = ? ORDER BY t.position DESC`;
    const found = await this.#decode(await this.#engine.all(sql, prefixOf(hash)));
    return found.find(({ transaction }) => equalBytes(transaction.hash, hash));
  }

  /** The newest transactions that name a blob, at most `limit` of them, newest first. */
  async namingBlob(versionedHash: Bytes, limit: number): Promise<MinedTransaction[]> {
    const sql = "SELECT position FROM blob WHERE prefix = ? ORDER BY position DESC LIMIT ?";
    const rows = await this.#engine.all(sql, blobKey(versionedHash), limit);
    const found = await this.at(rows.map(([position]) => position as number));
    const isNamed = (name: Bytes) => equalBytes(name, versionedHash);
    return found.filter(({ transaction }) => transaction.blobVersionedHashes?.some(isNamed));
  }

  /** In the order of the positions asked for. */
  async at(positions: readonly number[]): Promise<MinedTransaction[]> {
    const rows = await this.#engine.load(`${SELECT} WHERE t.position IN ($keys)`, positions);
    const found = new Map((await this.#decode(rows)).map((tx) => [tx.position, tx]));
    return positions.map((position) => mustHave(found.get(position), `the transaction at ${position}`));
  }

  /** The transactions that emitted the logs at some positions, by those positions. */
  async ofLogs(positions: readonly number[]): Promise<Map<number, MinedTransaction>> {
    const pairs = positions.map((position) => [position, 0] as const);
    const rows = (await this.#engine.loadPairs(EMITTED_BY, pairs)) as [number, number][];
    const emitters = new Map((await this.at([...new Set(rows.map(([, tx]) => tx))])).map((tx) => [tx.position, tx]));
    return new Map(rows.map(([log, tx]) => [log, mustHave(emitters.get(tx), `the transaction of the log at ${log}`)]));
  }

  /** All transactions of the blocks from `first` to the tip. */
  all(first: number, tip: Tip): OrdinalList {
    return {
      count: async () => tip.totals.transactions,
      slice: (from, to) => this.#sliceAll(first, tip, from, to),
    };
  }

  /** The block of an ordinal is found by the totals in the block rows, and from there on rows are counted. */
  async #sliceAll(first: number, tip: Tip, from: number, to: number): Promise<number[]> {
    if (to <= Math.max(from, 0)) return [];
    const blocks = new BlockReads(this.#engine);
    const upTo = async (number: number) => mustHave(await blocks.totals(number), `block ${number}`).transactions;
    const block = await lowest(first, tip.number, async (number) => (await upTo(number)) >= to);
    const above = (await upTo(block)) - to;
    const sql = "SELECT position FROM tx WHERE position < ? ORDER BY position DESC LIMIT ? OFFSET ?";
    const rows = await this.#engine.all(sql, firstPosition(block + 1), to - from, above);
    return rows.map(([position]) => position as number).reverse();
  }

  /** The positions of a block's transactions by their place in it, [from, to). */
  async placesInBlock(number: number, from: number, to: number): Promise<number[]> {
    const sql = "SELECT position FROM tx WHERE position >= ? AND position < ? ORDER BY position LIMIT ? OFFSET ?";
    const rows = await this.#engine.all(sql, firstPosition(number), firstPosition(number + 1), to - from, from);
    return rows.map(([position]) => position as number);
  }

  /** The transactions of a block by their place in it, [from, to). */
  async inBlock(number: number, from: number, to: number): Promise<StoredTransaction[]> {
    const sql = "SELECT position, body FROM tx WHERE position >= ? AND position < ? ORDER BY position LIMIT ? OFFSET ?";
    const rows = await this.#engine.all(sql, firstPosition(number), firstPosition(number + 1), to - from, from);
    const book = new AddressBook(this.#engine);
    const transactions = rows.map(([position, body]) => readBody(position as number, body as Bytes, book));
    await book.load();
    return transactions;
  }

  async #decode(rows: readonly Row[]): Promise<MinedTransaction[]> {
    const book = new AddressBook(this.#engine, { kinds: true });
    const numbers = new Set(rows.map(([position]) => blockOf(position as number)));
    const blocks = await new BlockReads(this.#engine).headers(numbers);
    const found = rows.map(([position, body]) => {
      const outline = readOutline(position as number, body as Bytes, book);
      const number = blockOf(position as number);
      return { ...outline, block: mustHave(blocks.get(number), `block ${number}`) };
    });
    await book.load();
    return found;
  }
}
