import type { Hex } from "../../chain/encoding/hex.ts";
import type { TokenSpec } from "./spec.ts";

/** How a token came about, and so where its storage has what. */
export type TokenKind = "token" | "wrapped" | "deflating";

export interface PlacedToken extends TokenSpec {
  readonly address: Hex;
  readonly kind: TokenKind;
}

/** A pool with its tokens in the order in which it holds them. */
export interface PlacedPool {
  readonly address: Hex;
  readonly token0: PlacedToken;
  readonly token1: PlacedToken;
  /** In hundredths of a basis point. */
  readonly fee: number;
  readonly version: 2 | 3;
}

/** What of the demonstration is where on a network. It follows from the network's name alone. */
export interface Addresses {
  readonly wrapped: PlacedToken;
  readonly stables: readonly PlacedToken[];
  /** The other tokens; the one with a fee and the copy are not among them. */
  readonly tokens: readonly PlacedToken[];
  readonly deflating: PlacedToken;
  readonly copy: PlacedToken;
  /** The ERC-721 and the ERC-1155. */
  readonly collection: Hex;
  readonly items: Hex;
  /** The wallet that clones and the proxy stand before; what makes clones, and the first it made. */
  readonly wallet: Hex;
  readonly proxy: Hex;
  readonly factory: Hex;
  readonly clone: Hex;
  readonly v2: { readonly factory: Hex; readonly router: Hex; readonly pairs: readonly PlacedPool[] };
  readonly v3: {
    readonly factory: Hex;
    readonly positions: Hex;
    readonly router: Hex;
    readonly quoter: Hex;
    readonly pools: readonly PlacedPool[];
  };
}
