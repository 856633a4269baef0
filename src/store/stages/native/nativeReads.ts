import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { EMPTY } from "../../../chain/encoding/bytes.ts";
import { Turn } from "../../../std/async.ts";
import type { Reader } from "../../engine/database.ts";
import { asBytes } from "../../rows/encoding.ts";
import { readSigned, writeSigned } from "../../rows/signedAmount.ts";
import { findNeighbours, smallestWithDigits } from "./nativeCounts.ts";
import { readTargets, sumCounts } from "./nativeTargets.ts";
import type { NativeTip } from "./nativeTip.ts";
import { readNativeTip } from "./nativeTip.ts";

export interface RankedBalance {
  readonly address: Bytes;
  readonly balance: bigint;
}

type RankRow = [address: Bytes, balance: Bytes];

const SELECT = "SELECT address, balance FROM native_balance";
const DOWN = "ORDER BY balance DESC, address DESC LIMIT ?";
const UP = "ORDER BY balance, address LIMIT ?";

/** Rows skipped by one statement, within a few milliseconds. */
const MAX_SKIPPED_ROWS = 50_000;

/** By balance, richest first; ties by descending address. */
export class NativeReads {
  readonly #db: Reader;
  readonly #maxSkippedRows: number;

  constructor(db: Reader, maxSkippedRows = MAX_SKIPPED_ROWS) {
    this.#db = db;
    this.#maxSkippedRows = maxSkippedRows;
  }

  tip(): Promise<NativeTip | undefined> {
    return readNativeTip(this.#db);
  }

  /** Addresses still to be backfilled. */
  async missing({ backfilled }: NativeTip): Promise<number> {
    return (await this.targets()) - backfilled;
  }

  /** Number of addresses when balances began to be kept. */
  async targets(): Promise<number> {
    return sumCounts(await readTargets({ db: this.#db }));
  }

  /** 0-based. */
  async fromRank(rank: number, limit: number): Promise<RankedBalance[]> {
    const first = await this.#at(rank);
    if (first === undefined) return [];
    return this.#read(`${SELECT} WHERE (balance, address) <= (?, ?) ${DOWN}`, first[1], first[0], limit);
  }

  /** Accounts after a given one, whatever its rank. */
  below({ balance, address }: RankedBalance, limit: number): Promise<RankedBalance[]> {
    return this.#read(`${SELECT} WHERE (balance, address) < (?, ?) ${DOWN}`, writeSigned(balance), address, limit);
  }

  /** Locates the group by leading bytes, then walks from its nearer end. */
  async #at(rank: number): Promise<RankRow | undefined> {
    const neighbours = await findNeighbours(this.#db, rank);
    if (neighbours === undefined) return undefined;
    const { digits, accounts, before } = neighbours;
    const after = accounts - 1 - before;
    return before <= after
      ? this.#pass(DOWN, [smallestWithDigits(digits + 1), EMPTY], before)
      : this.#pass(UP, [smallestWithDigits(digits), EMPTY], after);
  }

  /** Skips in batches, yielding in between. */
  async #pass(
    way: typeof DOWN | typeof UP,
    place: readonly [Bytes, Bytes],
    count: number,
  ): Promise<RankRow | undefined> {
    const sql = `${SELECT} WHERE (balance, address) ${way === DOWN ? "<" : ">"} (?, ?) ${way} OFFSET ?`;
    const turn = new Turn();
    let from = place;
    for (let left = count; ; left -= this.#maxSkippedRows + 1) {
      const [row] = await this.#db.all<RankRow>(sql, ...from, 1, Math.min(left, this.#maxSkippedRows));
      if (row === undefined || left <= this.#maxSkippedRows) return row;
      from = [row[1], row[0]];
      await turn.yieldToEventLoop();
    }
  }

  async #read(sql: string, ...parameters: [Bytes, Bytes, number]): Promise<RankedBalance[]> {
    const rows = await this.#db.all<RankRow>(sql, ...parameters);
    return rows.map(([address, balance]) => ({ address: asBytes(address), balance: readSigned(balance) }));
  }
}
