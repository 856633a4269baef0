import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { EMPTY } from "../../../chain/encoding/bytes.ts";
import { Turn } from "../../../std/async.ts";
import type { Reader } from "../../engine/database.ts";
import { asBytes } from "../../rows/encoding.ts";
import { readSigned, writeSigned } from "../../rows/signedAmount.ts";
import { findNeighbours, leastWith } from "./nativeCounts.ts";
import { readTargets, sumCounts } from "./nativeTargets.ts";
import type { NativeTip } from "./nativeTip.ts";
import { readNativeTip } from "./nativeTip.ts";

/** An account of the ranking. */
export interface RankedBalance {
  readonly address: Bytes;
  readonly balance: bigint;
}

type RankRow = [address: Bytes, balance: Bytes];

const SELECT = "SELECT address, balance FROM native_balance";
const DOWN = "ORDER BY balance DESC, address DESC LIMIT ?";
const UP = "ORDER BY balance, address LIMIT ?";

/** Accounts that one statement passes over, in a few milliseconds. */
const MAX_SKIPPED_ROWS = 50_000;

/** What accounts have of the chain's coin, the most first; of equal ones, the highest address first. */
export class NativeReads {
  readonly #db: Reader;
  readonly #passedAtOnce: number;

  constructor(db: Reader, passedAtOnce = MAX_SKIPPED_ROWS) {
    this.#db = db;
    this.#passedAtOnce = passedAtOnce;
  }

  tip(): Promise<NativeTip | undefined> {
    return readNativeTip(this.#db);
  }

  /** How many of the addresses that were there when balances began to be kept are not asked about yet. */
  async missing({ filled }: NativeTip): Promise<number> {
    return sumCounts(await readTargets({ db: this.#db })) - filled;
  }

  /** Up to `limit` accounts from a rank on, counted from 0. */
  async fromRank(rank: number, limit: number): Promise<RankedBalance[]> {
    const first = await this.#at(rank);
    if (first === undefined) return [];
    return this.#read(`${SELECT} WHERE (balance, address) <= (?, ?) ${DOWN}`, first[1], first[0], limit);
  }

  /** Up to `limit` accounts below one, wherever that is. */
  below({ balance, address }: RankedBalance, limit: number): Promise<RankedBalance[]> {
    return this.#read(`${SELECT} WHERE (balance, address) < (?, ?) ${DOWN}`, writeSigned(balance), address, limit);
  }

  /** Found by the digits that balances begin with, and walked to from the nearer end of those that have the same. */
  async #at(rank: number): Promise<RankRow | undefined> {
    const neighbours = await findNeighbours(this.#db, rank);
    if (neighbours === undefined) return undefined;
    const { digits, accounts, before } = neighbours;
    const after = accounts - 1 - before;
    return before <= after
      ? this.#pass(DOWN, [leastWith(digits + 1), EMPTY], before)
      : this.#pass(UP, [leastWith(digits), EMPTY], after);
  }

  /** The account after so many others that come after a place. Of many a part is passed at a time, so that others have their turn. */
  async #pass(
    way: typeof DOWN | typeof UP,
    place: readonly [Bytes, Bytes],
    count: number,
  ): Promise<RankRow | undefined> {
    const sql = `${SELECT} WHERE (balance, address) ${way === DOWN ? "<" : ">"} (?, ?) ${way} OFFSET ?`;
    const turn = new Turn();
    let from = place;
    for (let left = count; ; left -= this.#passedAtOnce + 1) {
      const [row] = await this.#db.all<RankRow>(sql, ...from, 1, Math.min(left, this.#passedAtOnce));
      if (row === undefined || left <= this.#passedAtOnce) return row;
      from = [row[1], row[0]];
      await turn.yieldToEventLoop();
    }
  }

  async #read(sql: string, ...parameters: [Bytes, Bytes, number]): Promise<RankedBalance[]> {
    const rows = await this.#db.all<RankRow>(sql, ...parameters);
    return rows.map(([address, balance]) => ({ address: asBytes(address), balance: readSigned(balance) }));
  }
}
