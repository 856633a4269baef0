import type { Hex } from "../chain/encoding/hex.ts";
import { Demonstration } from "./demonstration.ts";

/** The exchanges of a demonstration, and what their prices begin with. */
export interface DemonstratedExchange {
  readonly factories: readonly { readonly name: string; readonly address: Hex }[];
  readonly stables: readonly Hex[];
  readonly wrappedCoin: Hex;
}

/** What is on a network; nothing where its contracts cannot be loaded. On a testnet nothing is worth a dollar. */
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
