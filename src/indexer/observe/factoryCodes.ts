import type { AddressBytes } from "../../chain/encoding/bytes.ts";
import { fromHex, quantity, toHex } from "../../chain/encoding/hex.ts";
import { exchangeOfCode } from "../../chain/exchange/knownFactories.ts";
import type { Source } from "../../chain/source.ts";
import { LruCache } from "../../std/lruCache.ts";
import type { At } from "./observationRounds.ts";

const MAX_FACTORIES = 1000;
const CODE = /^0x([0-9a-f]{2})*$/i;

/** Asks the node for the code of factories, each once. */
export class FactoryCodes {
  readonly #source: Source;
  readonly #known = new LruCache<string, string | null>(MAX_FACTORIES);

  constructor(source: Source) {
    this.#source = source;
  }

  /** The exchange whose code a factory has; null where nobody knows it, undefined where the node could not say. */
  async exchangeOf(factory: AddressBytes, at: At): Promise<string | null | undefined> {
    const hex = toHex(factory);
    const known = this.#known.get(hex);
    if (known !== undefined) return known;
    const code = await this.#source.request("eth_getCode", [hex, quantity(at.number)]).catch(() => undefined);
    if (typeof code !== "string" || !CODE.test(code)) return undefined;
    const exchange = exchangeOfCode(fromHex(code), factory) ?? null;
    this.#known.set(hex, exchange);
    return exchange;
  }
}
