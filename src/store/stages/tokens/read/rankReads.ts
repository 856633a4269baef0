import type { TokenKind } from "../../../../chain/token/tokenTransfer.ts";
import type { Reader, Value } from "../../../engine/database.ts";
import type { AddressId } from "../../../rows/ids.ts";
import { EVERY_TOKEN, listOf, rankOf } from "../tables/tokenRanking.ts";
import { KINDS } from "../tables/transferBody.ts";

export interface RankedToken {
  readonly token: AddressId;
  readonly holders: number;
}

/** By holders. */
export type RankOrder = "desc" | "asc";

/** Ranks of merged standards that can be walked. */
export const MAX_MERGED = 100_000;

/** By holders, most first; ties by first appearance. Overall or per standard. */
export class RankReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  async count(kinds: readonly TokenKind[]): Promise<number> {
    const rows = await this.#db.load<[number]>(
      "SELECT tokens FROM token_rank_count WHERE list IN ($keys)",
      listsOf(kinds),
    );
    return rows.reduce((sum, [tokens]) => sum + tokens, 0);
  }

  /** Whether a page of a merged list is too far from both ends. */
  isFar(kinds: readonly TokenKind[], rank: number, limit: number, count: number): boolean {
    return listsOf(kinds).length > 1 && Math.min(rank, count - rank - limit) > MAX_MERGED;
  }

  /** 0-based; walks from the nearer end of `count`. */
  async fromRank(
    kinds: readonly TokenKind[],
    rank: number,
    limit: number,
    count: number,
    order: RankOrder = "desc",
  ): Promise<RankedToken[]> {
    const size = Math.min(limit, count - rank);
    if (size <= 0) return [];
    const after = count - rank - size;
    const select = listsOf(kinds).map((list) => ({ sql: SELECT, parameters: [list] }));
    if (rank <= after) return this.#read(select, `${BY[order]} LIMIT ? OFFSET ?`, [size, rank]);
    return (await this.#read(select, `${BY[REVERSE[order]]} LIMIT ? OFFSET ?`, [size, after])).reverse();
  }

  /** Tokens after a given one, whatever its rank. */
  after(
    kinds: readonly TokenKind[],
    { token, holders }: RankedToken,
    limit: number,
    order: RankOrder = "desc",
  ): Promise<RankedToken[]> {
    const sql = `${SELECT} AND (rank, token) ${order === "desc" ? ">" : "<"} (?, ?)`;
    const select = listsOf(kinds).map((list) => ({ sql, parameters: [list, rankOf(holders), token] }));
    return this.#read(select, `${BY[order]} LIMIT ?`, [limit]);
  }

  /** Merges sorted lists while reading. */
  async #read(selects: readonly Select[], ending: string, last: readonly Value[]): Promise<RankedToken[]> {
    if (selects.length === 0) return [];
    const sql = `${selects.map((select) => select.sql).join(" UNION ALL ")} ${ending}`;
    const rows = await this.#db.all<[number, number]>(sql, ...selects.flatMap(({ parameters }) => parameters), ...last);
    return rows.map(asRanked);
  }
}

interface Select {
  readonly sql: string;
  readonly parameters: readonly Value[];
}

const SELECT = "SELECT rank, token FROM token_rank WHERE list = ?";
/** A rank is minus the holders. */
const BY = { desc: "ORDER BY 1, 2", asc: "ORDER BY 1 DESC, 2 DESC" } as const;
const REVERSE = { desc: "asc", asc: "desc" } as const;

function listsOf(kinds: readonly TokenKind[]): number[] {
  return KINDS.every((kind) => kinds.includes(kind)) ? [EVERY_TOKEN] : kinds.map(listOf);
}

function asRanked([rank, token]: [number, number]): RankedToken {
  return { token, holders: 0 - rank };
}
