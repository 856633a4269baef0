import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { Engine } from "../engine/engine.ts";
import type { AddressInfo } from "../read/addressInfo.ts";

/** The contracts that a source was verified for, with their names. They are in memory, since every page of a list asks for some. */
export class VerifiedContracts {
  readonly #names = new Map<string, string>();
  #newest = 0;
  /** What is known of an address stays one object, and so does what is added to it here. */
  #described = new WeakMap<AddressInfo, AddressInfo>();

  get size(): number {
    return this.#names.size;
  }

  has(address: Bytes): boolean {
    return this.#names.has(toHex(address));
  }

  /** Reads those that came since it was read last. Answers what takes them in, all at once. */
  async read(engine: Engine): Promise<() => void> {
    const sql = "SELECT id, address, name FROM source WHERE id > ? ORDER BY id";
    const rows = await engine.all<[number, Bytes, string]>(sql, this.#newest);
    return () => {
      if (rows.length === 0) return;
      for (const [id, address, name] of rows) {
        this.#names.set(toHex(address), name);
        this.#newest = id;
      }
      this.#described = new WeakMap();
    };
  }

  /** What is known of an address, with its name as the source has it. Who has a source has code. */
  describe(address: Bytes, info: AddressInfo): AddressInfo {
    if (this.#names.size === 0) return info;
    const known = this.#described.get(info);
    if (known !== undefined) return known;
    const name = this.#names.get(toHex(address));
    const { isContract, runsCode } = info;
    const described =
      name === undefined
        ? info
        : { ...info, name, isVerified: true, isContract: isContract ?? true, runsCode: runsCode ?? true };
    this.#described.set(info, described);
    return described;
  }
}
