import type { Bytes } from "../../chain/encoding/bytes.ts";
import { Turn } from "../../std/turn.ts";
import type { Reader } from "../engine/database.ts";
import { asBytes } from "../rows/encoding.ts";
import { readSigned, writeSigned } from "../tokens/ledger/signedAmount.ts";
import { findNeighbours, leastWith } from "./nativeCounts.ts";
import { countSeen, readTargets } from "./nativeTargets.ts";
import type { NativeTip } from "./nativeTip.ts";
import { readNativeTip } from "./nativeTip.ts";
import { idOf, metAs } from "./nativeWrite.ts";

/** An account of the ranking. */
export interface RankedBalance {
  readonly address: Bytes;
  readonly balance: bigint;
  /** Which account it was, of all that were met with more than nothing. */
  readonly met: number;
}

/** Where an account stands in the ranking. */
export type BalanceStanding = Omit<RankedBalance, "address">;

type RankRow = [address: Bytes, balance: Bytes, id: number];

const SELECT = "SELECT address, balance, id FROM native_balance";
const DOWN = "ORDER BY balance DESC, id DESC LIMIT ?";
const UP = "ORDER BY balance, id LIMIT ?";

/** Below every id. */
const LOWEST_ID = -1;

/** Accounts that one statement passes over, in a few milliseconds. */
const PASSED_AT_ONCE = 50_000;

/** What accounts have of the chain's coin, the most first; of equal ones, the account that was met first comes first. */
export class NativeReads {
  readonly #db: Reader;
  readonly #passedAtOnce: number;

  constructor(db: Reader, passedAtOnce = PASSED_AT_ONCE) {
    this.#db = db;
    this.#passedAtOnce = passedAtOnce;
  }

  tip(): Promise<NativeTip | undefined> {
    return readNativeTip(this.#db);
  }

  /** How many of the addresses that were there when balances began to be kept are not asked about yet. */
  async missing({ filled }: NativeTip): Promise<number> {
    return countSeen(await readTargets(this.#db)) - filled;
  }

  /** Up to `limit` accounts from a rank on, counted from 0. */
  async fromRank(rank: number, limit: number): Promise<RankedBalance[]> {
    const first = await this.#at(rank);
    if (first === undefined) return [];
    return this.#read(`${SELECT} WHERE (balance, id) <= (?, ?) ${DOWN}`, first[1], first[2], limit);
  }

  /** Up to `limit` accounts below one, wherever that is. */
  below({ balance, met }: BalanceStanding, limit: number): Promise<RankedBalance[]> {
    return this.#read(`${SELECT} WHERE (balance, id) < (?, ?) ${DOWN}`, writeSigned(balance), idOf(met), limit);
  }

  /** Found by the digits that balances begin with, and walked to from the nearer end of those that have the same. */
  async #at(rank: number): Promise<RankRow | undefined> {
    const neighbours = await findNeighbours(this.#db, rank);
    if (neighbours === undefined) return undefined;
    const { digits, accounts, before } = neighbours;
    const after = accounts - 1 - before;
    return before <= after
      ? this.#pass(DOWN, [leastWith(digits + 1), LOWEST_ID], before)
      : this.#pass(UP, [leastWith(digits), LOWEST_ID], after);
  }

  /** The account after so many others that come after a place. Of many a part is passed at a time, so that others have their turn. */
  async #pass(
    way: typeof DOWN | typeof UP,
    place: readonly [Bytes, number],
    count: number,
  ): Promise<RankRow | undefined> {
    const sql = `${SELECT} WHERE (balance, id) ${way === DOWN ? "<" : ">"} (?, ?) ${way} OFFSET ?`;
    const turn = new Turn();
    let from = place;
    for (let left = count; ; left -= this.#passedAtOnce + 1) {
      const [row] = await this.#db.all<RankRow>(sql, ...from, 1, Math.min(left, this.#passedAtOnce));
      if (row === undefined || left <= this.#passedAtOnce) return row;
      from = [row[1], row[2]];
      await turn.giveWay();
    }
  }

  async #read(sql: string, ...parameters: [Bytes, number, number]): Promise<RankedBalance[]> {
    const rows = await this.#db.all<RankRow>(sql, ...parameters);
    return rows.map(([address, balance, id]) => ({
      address: asBytes(address),
      balance: readSigned(balance),
      met: metAs(id),
    }));
  }
}
