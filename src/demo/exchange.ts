import type { Hex } from "../chain/encoding/hex.ts";
import { Demonstration } from "./demonstration.ts";

export interface DemonstratedExchange {
  readonly factories: readonly { readonly name: string; readonly address: Hex }[];
  readonly stables: readonly Hex[];
  readonly wrappedCoin: Hex;
}

/** Undefined if the contracts cannot be loaded. Testnet tokens have no dollar value. */
export function demonstratedExchange(network: string): DemonstratedExchange | undefined {
  const addresses = Demonstration.addresses(network);
  if (addresses === undefined) return undefined;
  return {
    factories: [
      { name: "Uniswap V2", address: addresses.v2.factory },
      { name: "Uniswap V3", address: addresses.v3.factory },
    ],
    stables: network === "mainnet" ? addresses.stables.map(({ address }) => address) : [],
    wrappedCoin: addresses.wrapped.address,
  };
}
