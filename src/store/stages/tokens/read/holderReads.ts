import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import type { Reader } from "../../../engine/database.ts";
import { AddressResolver } from "../../../read/addressResolver.ts";
import type { AddressId } from "../../../rows/ids.ts";
import { readSigned, writeSigned } from "../../../rows/signedAmount.ts";
import { readCoins } from "../tables/wrappedCoins.ts";
import type { Holding } from "./holderSample.ts";

/** Rank key. */
type Standing = Pick<Holding, "holder" | "amount">;

const SELECT = "SELECT address, amount FROM holder WHERE token = ?";
const DOWN = "ORDER BY amount DESC, address DESC LIMIT ?";
const UP = "ORDER BY amount, address LIMIT ?";

/** By balance, largest first; ties by descending id. */
export class HolderReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  /** 0-based; walks from the nearer end of `count`. */
  async fromRank(token: AddressId, rank: number, limit: number, count: number): Promise<Holding[]> {
    const size = Math.min(limit, count - rank);
    if (size <= 0) return [];
    const ofCoin = await this.#ofCoin(token);
    if (ofCoin !== undefined) return this.#name(ofCoin.slice(rank, rank + size));
    const below = count - rank - size;
    if (rank <= below)
      return this.#name(await this.#db.all<HolderRow>(`${SELECT} ${DOWN} OFFSET ?`, token, size, rank));
    const rows = await this.#db.all<HolderRow>(`${SELECT} ${UP} OFFSET ?`, token, size, below);
    return this.#name(rows.reverse());
  }

  /** Holders after a given one, whatever its rank. */
  async below(token: AddressId, { amount, holder }: Standing, limit: number): Promise<Holding[]> {
    const ofCoin = await this.#ofCoin(token);
    const isBelow = (other: HolderRow) => compareRanks(other, [holder, writeSigned(amount)]) > 0;
    if (ofCoin !== undefined) return this.#name(ofCoin.filter(isBelow).slice(0, limit));
    const sql = `${SELECT} AND (amount, address) < (?, ?) ${DOWN}`;
    return this.#name(await this.#db.all<HolderRow>(sql, token, writeSigned(amount), holder, limit));
  }

  /** Holders of a wrapped coin without transfers: few enough to sort. */
  async #ofCoin(token: AddressId): Promise<HolderRow[] | undefined> {
    const coin = (await readCoins(this.#db)).get(token);
    const held = [...(coin?.balances ?? [])].filter(([, amount]) => amount > 0n);
    return coin && held.map(([address, amount]): HolderRow => [address, writeSigned(amount)]).sort(compareRanks);
  }

  async #name(rows: readonly HolderRow[]): Promise<Holding[]> {
    const resolver = new AddressResolver(this.#db, { infos: true });
    const holders = rows.map(([holder, amount]) => ({
      holder,
      address: resolver.address(holder),
      amount: readSigned(amount),
    }));
    await resolver.load();
    return holders;
  }
}

type HolderRow = [address: AddressId, amount: Bytes];

function compareRanks([address, amount]: HolderRow, [otherAddress, otherAmount]: HolderRow): number {
  return Buffer.compare(otherAmount, amount) || otherAddress - address;
}
