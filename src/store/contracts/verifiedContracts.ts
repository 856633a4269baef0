import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { Reader } from "../engine/database.ts";
import type { AddressDescriber, AddressInfo } from "../read/addressInfo.ts";
import type { ContractMatch, NamedContract } from "./contractNames.ts";
import { findByName, searchedName } from "./contractNames.ts";

/** Verified contracts and their names, in memory, since every list page needs some. */
export class VerifiedContracts implements AddressDescriber {
  readonly #contracts = new Map<Hex, NamedContract>();
  #newest = 0;
  /** Keeps the identity of described infos stable. */
  #described = new WeakMap<AddressInfo, AddressInfo>();

  get size(): number {
    return this.#contracts.size;
  }

  has(address: Bytes): boolean {
    return this.#contracts.has(toHex(address));
  }

  newestFirst(): NamedContract[] {
    return [...this.#contracts.values()].reverse();
  }

  find(query: string): Promise<ContractMatch[]> {
    return findByName(this.newestFirst(), query);
  }

  /** Reads new rows. Returns a function that applies them synchronously. */
  async read(db: Reader): Promise<() => void> {
    const sql = "SELECT id, address, name, language FROM source WHERE id > ? ORDER BY id";
    const rows = await db.all<[number, Bytes, string, string]>(sql, this.#newest);
    return () => {
      if (rows.length === 0) return;
      for (const [id, bytes, name, language] of rows) {
        const address = toHex(bytes);
        this.#contracts.delete(address);
        this.#contracts.set(address, { address, id, name, language, text: searchedName(name) });
        this.#newest = id;
      }
      this.#described = new WeakMap();
    };
  }

  /** Adds the verified name. A contract with a source has code. */
  describe(address: Bytes, info: AddressInfo): AddressInfo {
    if (this.#contracts.size === 0) return info;
    const known = this.#described.get(info);
    if (known !== undefined) return known;
    const name = this.#contracts.get(toHex(address))?.name;
    const { isContract, runsCode } = info;
    const described =
      name === undefined
        ? info
        : {
            ...info,
            name,
            ...(info.isToken && { tokenName: info.name }),
            isVerified: true,
            isContract: isContract ?? true,
            runsCode: runsCode ?? true,
          };
    this.#described.set(info, described);
    return described;
  }
}
