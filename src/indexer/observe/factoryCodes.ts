import type { AddressBytes } from "../../chain/encoding/bytes.ts";
import { quantity, toHex } from "../../chain/encoding/hex.ts";
import { WireReader } from "../../chain/encoding/wire.ts";
import { ChainError } from "../../chain/error.ts";
import { exchangeOfCode } from "../../chain/exchange/knownFactories.ts";
import type { Source } from "../../chain/source.ts";
import { LruCache } from "../../std/maps.ts";
import type { At } from "./observationRounds.ts";

const MAX_FACTORIES = 1000;

/** Caches the code of factories. */
export class FactoryCodes {
  readonly #source: Source;
  readonly #known = new LruCache<string, string | null>(MAX_FACTORIES);

  constructor(source: Source) {
    this.#source = source;
  }

  /** Null if the code is unknown, undefined if the node could not answer. */
  async exchangeOf(factory: AddressBytes, at: At): Promise<string | null | undefined> {
    const hex = toHex(factory);
    const known = this.#known.get(hex);
    if (known !== undefined) return known;
    try {
      const code = new WireReader().code(await this.#source.request("eth_getCode", [hex, quantity(at.number)]));
      const exchange = exchangeOfCode(code, factory) ?? null;
      this.#known.set(hex, exchange);
      return exchange;
    } catch (error) {
      if (error instanceof ChainError) return undefined;
      throw error;
    }
  }
}
