import type { Hex } from "../../chain/encoding/hex.ts";

/** What is believed of the exchanges of a network, because somebody configured it. */
export interface ExchangeSettings {
  /** Whose pools set prices, by the names of their exchanges. */
  readonly factories: readonly {
    readonly name: string;
    readonly address: Hex;
    /** What pairs take of a trade, in hundredths of a basis point, where they do not say so. */
    readonly fee?: number | undefined;
  }[];
  /** Tokens that count as one US dollar each. */
  readonly stables: readonly Hex[];
  /** The token that wraps the native coin. */
  readonly wrappedCoin: Hex | undefined;
  /** US dollars that a pool must hold of a token with a price to price the other one. */
  readonly priceDepth: number;
}

export const NO_EXCHANGES: ExchangeSettings = { factories: [], stables: [], wrappedCoin: undefined, priceDepth: 0 };
