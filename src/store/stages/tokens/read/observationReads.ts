import type { Reader } from "../../../engine/database.ts";
import { readNumber } from "../../../engine/database.ts";
import type { TokenObservation } from "../tables/observation.ts";
import { readObservations } from "../tables/observation.ts";
import type { DueTokens } from "./dueTokens.ts";
import { readDueTokens } from "./dueTokens.ts";

const MAX_COUNTED = 10_000;

export class ObservationReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  byToken(tokens: readonly number[]): Promise<Map<number, TokenObservation>> {
    return readObservations(this.#db, tokens);
  }

  /** Longest waiting first; undefined before the first block. */
  due(limit: number): Promise<DueTokens | undefined> {
    return readDueTokens(this.#db, limit);
  }

  /** Counted up to `MAX_COUNTED`. */
  async dueCount(block: number): Promise<number> {
    const sql = "SELECT count(*) FROM (SELECT token FROM token_due WHERE block <= ? LIMIT ?) d";
    return readNumber(this.#db, sql, block, MAX_COUNTED);
  }
}
