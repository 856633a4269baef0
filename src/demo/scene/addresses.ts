import type { Hex } from "../../chain/encoding/hex.ts";
import type { TokenSpec } from "./spec.ts";

export type TokenKind = "token" | "wrapped" | "deflating";

export interface PlacedToken extends TokenSpec {
  readonly address: Hex;
  readonly kind: TokenKind;
}

/** Tokens in pool order. */
export interface PlacedPool {
  readonly address: Hex;
  readonly token0: PlacedToken;
  readonly token1: PlacedToken;
  readonly fee: number;
  readonly version: 2 | 3;
}

/** Contract addresses, determined by the network's name. */
export interface Addresses {
  readonly wrapped: PlacedToken;
  readonly stables: readonly PlacedToken[];
  /** Without the fee-on-transfer token and the copy. */
  readonly tokens: readonly PlacedToken[];
  readonly deflating: PlacedToken;
  readonly copy: PlacedToken;
  /** The ERC-721 and the ERC-1155. */
  readonly collection: Hex;
  readonly items: Hex;
  /** Implementation of the clones and the proxy, the clone factory, and its first clone. */
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
