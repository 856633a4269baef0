import type { AddressBytes, Bytes } from "../../../chain/encoding/bytes.ts";
import { equalBytes } from "../../../chain/encoding/bytes.ts";
import { Turn } from "../../../std/async.ts";
import { valuesByKey } from "../../dictionary/findValues.ts";
import type { KeyedHash } from "../../dictionary/keyedHash.ts";
import type { Reader } from "../../engine/database.ts";
import { inDialect, readNumber } from "../../engine/database.ts";
import { soughtKeys } from "../../keys/findKeys.ts";
import type { MinedTransaction } from "../../read/transactions.ts";
import { TransactionReads } from "../../read/transactions.ts";
import { asBytes, mustHave } from "../../rows/encoding.ts";
import type { Ordinal, Position } from "../../rows/position.ts";
import { blockOf, firstPosition, slotOf, transactionKey } from "../../rows/position.ts";
import type { OrdinalList, SearchableList } from "../../tables/list.ts";
import { NO_LIST } from "../../tables/list.ts";
import type { StoredCall } from "./traceBody.ts";
import { readCall, readTracedIndexes } from "./traceBody.ts";
import { addressCalls } from "./traceTables.ts";
import type { TraceTip } from "./traceTip.ts";
import { readTraceCursor, readTraceTip } from "./traceTip.ts";

/** A call and its transaction. */
export interface MinedCall extends Omit<StoredCall, "slot" | "from" | "to"> {
  readonly from: AddressBytes;
  readonly to: AddressBytes | null;
  readonly mined: MinedTransaction;
}

/** Reads what follows from the addresses of calls at the same time as their transactions. */
type Related = (addresses: readonly Bytes[]) => Promise<unknown>;

const BATCH_SIZE = 200;

/** Rows are cumulative, and blocks without calls have none. */
const COUNTS =
  "SELECT b.number, b.calls, coalesce((SELECT p.calls FROM trace_block p WHERE p.number < b.number ORDER BY p.number DESC LIMIT 1), 0) FROM trace_block b WHERE b.number IN ($keys)";
/** The newest creation at each address with a key. */
const CREATION = inDialect(
  (dialect) =>
    `SELECT v.value, (SELECT max(c.position) FROM trace_creation c WHERE c.address = v.id) FROM ${valuesByKey("trace_address", dialect)}`,
);
const UP_TO = "SELECT calls FROM trace_block WHERE number <= ? ORDER BY number DESC LIMIT 1";

/** Rows of large blocks are long. */
const BLOCK_BATCH_SIZE = 64;

/** Valid at the stage's own tip, which may be behind the core. */
export class TraceReads {
  readonly #db: Reader;
  readonly #hash: KeyedHash;

  constructor(db: Reader, hash: KeyedHash) {
    this.#db = db;
    this.#hash = hash;
  }

  tip(): Promise<TraceTip | undefined> {
    return readTraceTip(this.#db);
  }

  all(): SearchableList {
    return {
      count: async () => (await this.tip())?.calls ?? 0,
      slice: (from, to) => this.#sliceAll(from, to),
      ordinalsOf: (positions) => Promise.all(positions.map((position) => this.#ordinalOf(position))),
    };
  }

  async ofAddress(address: Bytes): Promise<SearchableList> {
    return addressCalls(this.#db).find("trace_address", this.#hash, address);
  }

  async ofBlock(number: number): Promise<OrdinalList> {
    const indexes = await this.#indexes(number);
    return ordinalsFrom(
      firstPosition(number),
      indexes.reduce((sum, { calls }) => sum + calls, 0),
    );
  }

  /** Missing if not traced. */
  async countsOf(numbers: readonly number[]): Promise<Map<number, number>> {
    const [newest, rows] = await Promise.all([
      readTraceCursor(this.#db),
      this.#db.load<[number, number, number]>(COUNTS, numbers),
    ]);
    if (newest === undefined) return new Map();
    const counts = new Map(numbers.filter((number) => number <= newest).map((number) => [number, 0]));
    for (const [number, calls, before] of rows) counts.set(number, calls - before);
    return counts;
  }

  /** By transaction index; undefined if the trace was too long. */
  async ofTransaction(number: number, index: number): Promise<OrdinalList | undefined> {
    let start = firstPosition(number);
    for (const one of await this.#indexes(number)) {
      if (one.index === index) return one.isUntraced ? undefined : ordinalsFrom(start, one.calls);
      start += one.calls;
    }
    return NO_LIST;
  }

  /** By transaction key; missing on success or if not traced. */
  async failures(keys: readonly number[]): Promise<Map<number, string>> {
    const wanted = new Set(keys);
    const blocks = [...new Set(keys.map(blockOf))];
    const failures = new Map<number, string>();
    const turn = new Turn();
    for (let at = 0; at < blocks.length; at += BLOCK_BATCH_SIZE) {
      const sql = "SELECT number, body FROM trace_block WHERE number IN ($keys)";
      const rows = await this.#db.load<[number, Bytes]>(sql, blocks.slice(at, at + BLOCK_BATCH_SIZE));
      for (const [number, body] of rows) {
        for (const { index, error } of readTracedIndexes(body)) {
          const key = transactionKey(number, index);
          if (error !== undefined && wanted.has(key)) failures.set(key, error);
        }
      }
      await turn.yieldToEventLoop();
    }
    return failures;
  }

  /** Newest creation of a contract. */
  async creationOf(address: Bytes): Promise<MinedCall | undefined> {
    const rows = await this.#db.loadPairs<[Bytes, number | null]>(
      CREATION(this.#db),
      soughtKeys([this.#hash.key(address)]),
    );
    const position = rows.find(([value]) => equalBytes(asBytes(value), address))?.[1] ?? undefined;
    const [call] = position === undefined ? [] : await this.at([position]);
    return call;
  }

  /** In the order of the positions asked for. */
  async at(positions: readonly Position[], related: Related = async () => {}): Promise<MinedCall[]> {
    const found: MinedCall[] = [];
    const turn = new Turn();
    for (let at = 0; at < positions.length; at += BATCH_SIZE) {
      found.push(...(await this.#readPart(positions.slice(at, at + BATCH_SIZE), related)));
      await turn.yieldToEventLoop();
    }
    return found;
  }

  async #readPart(positions: readonly Position[], related: Related): Promise<MinedCall[]> {
    const sql = "SELECT position, body FROM trace_call WHERE position IN ($keys)";
    const rows = await this.#db.load<[Position, Bytes]>(sql, positions);
    const calls = new Map(rows.map(([position, body]) => [position, readCall(body)]));
    const placeOf = (position: Position, { slot }: StoredCall) => firstPosition(blockOf(position)) + slot;
    const places = [...new Set([...calls].map(([position, call]) => placeOf(position, call)))];
    const [addresses, transactions] = await Promise.all([
      this.#addresses(
        [...calls.values()].flatMap(({ from, to }) => [from, to]),
        related,
      ),
      new TransactionReads(this.#db).at(places),
    ]);
    const mined = new Map(transactions.map((each) => [each.position, each]));
    return positions.map((position) => {
      const call = mustHave(calls.get(position), `the call at ${position}`);
      return {
        ...call,
        from: mustHave(addresses.get(call.from), `trace address ${call.from}`),
        to: call.to === 0 ? null : mustHave(addresses.get(call.to), `trace address ${call.to}`),
        mined: mustHave(mined.get(placeOf(position, call)), `the transaction of the call at ${position}`),
      };
    });
  }

  async #addresses(ids: readonly number[], related: Related): Promise<Map<number, AddressBytes>> {
    const sql = "SELECT id, value FROM trace_address WHERE id IN ($keys)";
    const rows = await this.#db.load<[number, Bytes]>(sql, [...new Set(ids)]);
    const found = new Map(rows.map(([id, value]) => [id, asBytes(value)]));
    await related([...found.values()]);
    return found;
  }

  async #indexes(number: number) {
    const [row] = await this.#db.all<[Bytes]>("SELECT body FROM trace_block WHERE number = ?", number);
    return row === undefined ? [] : readTracedIndexes(row[0]);
  }

  /** Totals are cumulative and positions within a block consecutive. */
  async #sliceAll(from: Ordinal, to: Ordinal): Promise<Position[]> {
    const positions: Position[] = [];
    const sql = "SELECT number, calls FROM trace_block WHERE calls > ? ORDER BY calls, number LIMIT ?";
    for (let next = Math.max(from, 0); next < to; ) {
      const [before, rows] = await Promise.all([
        readNumber(this.#db, "SELECT max(calls) FROM trace_block WHERE calls <= ?", next),
        this.#db.all<[number, number]>(sql, next, BATCH_SIZE),
      ]);
      if (rows.length === 0) break;
      let start = before;
      for (const [number, calls] of rows) {
        for (; next < Math.min(calls, to); next++) positions.push(firstPosition(number) + next - start);
        start = calls;
      }
    }
    return positions;
  }

  async #ordinalOf(position: Position): Promise<Ordinal> {
    const number = blockOf(position);
    if (slotOf(position) === 0) return readNumber(this.#db, UP_TO, number - 1);
    const [before, upTo] = await Promise.all([
      readNumber(this.#db, UP_TO, number - 1),
      readNumber(this.#db, UP_TO, number),
    ]);
    return Math.min(before + slotOf(position), upTo);
  }
}

/** Consecutive positions. */
function ordinalsFrom(start: Position, length: number): OrdinalList {
  return {
    count: async () => length,
    slice: async (from, to) =>
      Array.from({ length: Math.max(Math.min(to, length) - from, 0) }, (_, at) => start + from + at),
  };
}
