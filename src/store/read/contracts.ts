import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Reader } from "../engine/database.ts";
import { asBytes, mustHave } from "../rows/encoding.ts";
import { firstPosition } from "../rows/position.ts";
import { keepLoaded, lowerBound } from "../tables/lowerBound.ts";
import type { Tip } from "./blocks.ts";
import { BlockReads } from "./blocks.ts";

const DEPLOYED_FROM =
  "SELECT a.value FROM contract c JOIN address a ON a.id = c.address WHERE c.position >= ? ORDER BY c.position LIMIT ? OFFSET ?";

export class ContractReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  /**
   * Contracts deployed by transactions, oldest first, by ordinal [from, to). The block of an ordinal is found by block
   * totals, so any page costs the same.
   */
  async deployed(first: number, tip: Tip, from: number, to: number): Promise<Bytes[]> {
    const limit = Math.min(to, tip.totals.contracts) - from;
    if (limit <= 0) return [];
    const blocks = new BlockReads(this.#db);
    const [load, totals] = keepLoaded((numbers) => blocks.totals(numbers));
    const [block = tip.number] = await lowerBound(
      [from],
      [first, tip.number],
      load,
      (found, ordinal, number) => mustHave(found, `block ${number}`).contracts > ordinal,
    );
    const before = totals.get(block - 1)?.contracts ?? 0;
    const rows = await this.#db.all<[Bytes]>(DEPLOYED_FROM, firstPosition(block), limit, from - before);
    return rows.map(([address]) => asBytes(address));
  }
}
