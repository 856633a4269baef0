import type { Hex } from "../../chain/encoding/hex.ts";

/** Trusted configuration of a network's exchanges. */
export interface ExchangeSettings {
  readonly factories: readonly {
    readonly name: string;
    readonly address: Hex;
    readonly fee?: number | undefined;
  }[];
  /** Tokens worth one US dollar. */
  readonly stables: readonly Hex[];
  readonly wrappedCoin: Hex | undefined;
  /** Symbol of the native coin, which pools of V4 and Infinity trade as it is. */
  readonly coin?: string | undefined;
  /** US dollars a pool must hold to set a price. */
  readonly priceDepth: number;
}

export const NO_EXCHANGES: ExchangeSettings = { factories: [], stables: [], wrappedCoin: undefined, priceDepth: 0 };
