import type { Bytes } from "../chain/bytes.ts";
import type { Header } from "../chain/header.ts";
import type { Log } from "../chain/receipt.ts";
import { AddressBook } from "./addressBook.ts";
import { mustHave } from "./encoding.ts";
import type { Engine } from "./engine/engine.ts";
import type { OrdinalList } from "./list.ts";
import { countLogs, pickLogs } from "./transactionBody.ts";
import { TransactionReads } from "./transactions.ts";

/** A log with as much of its transaction as its record tells. */
export interface MinedLog extends Omit<Log, "data"> {
  /** Null where the logs before it have as much data as one answer holds. */
  readonly data: Bytes | null;
  readonly transactionHash: Bytes;
  /** Whom the transaction was sent to. */
  readonly called: Bytes | null;
  readonly header: Header;
}

/** Bytes of data in one answer; the log that passes it is still whole. */
export const MOST_LOG_DATA = 8 << 20;

/** The row of a transaction can have megabytes, and a page may show one log of each of a thousand. */
const AT_ONCE = 100;

export class LogReads {
  readonly #engine: Engine;
  readonly #transactions: TransactionReads;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#transactions = new TransactionReads(engine);
  }

  /** The logs of the transaction at a position: they stand right after it. */
  ofTransaction(position: number): OrdinalList {
    return {
      count: async () => {
        const [row] = await this.#engine.all("SELECT body FROM tx WHERE position = ?", position);
        return row === undefined ? 0 : countLogs(row[0] as Bytes);
      },
      slice: async (from, to) => Array.from({ length: to - from }, (_, at) => position + 1 + from + at),
    };
  }

  /** In the order of the positions asked for. */
  async at(positions: readonly number[], mostData = MOST_LOG_DATA): Promise<MinedLog[]> {
    const found: MinedLog[] = [];
    let left = mostData;
    for (let at = 0; at < positions.length; at += AT_ONCE) {
      for (const log of await this.#read(positions.slice(at, at + AT_ONCE))) {
        // Copied, or a few bytes would hold the whole row in memory.
        const data = left > 0 ? log.data.slice() : null;
        left -= log.data.length;
        found.push({ ...log, data });
      }
    }
    return found;
  }

  async #read(positions: readonly number[]): Promise<(MinedLog & Log)[]> {
    const emitters = await this.#transactions.ofLogs(positions);
    const places = Map.groupBy(
      positions,
      (position) => mustHave(emitters.get(position), `the transaction of the log at ${position}`).position,
    );
    const rows = await this.#engine.load("SELECT position, body FROM tx WHERE position IN ($keys)", [...places.keys()]);
    const book = new AddressBook(this.#engine);
    const logs = new Map<number, Log>();
    for (const [transaction, body] of rows as [number, Bytes][]) {
      const wanted = new Set(places.get(transaction)!.map((position) => position - transaction - 1));
      for (const [place, log] of pickLogs(transaction, body, wanted, book)) logs.set(transaction + 1 + place, log);
    }
    await book.load();
    return positions.map((position) => {
      const { transaction, block } = emitters.get(position)!;
      const emitter = { transactionHash: transaction.hash.slice(), called: transaction.to, header: block.header };
      return { ...mustHave(logs.get(position), `the log at ${position}`), ...emitter };
    });
  }
}
