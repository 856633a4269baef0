import type { Hex } from "../../chain/encoding/hex.ts";
import type { TokenSpec } from "./spec.ts";

export type TokenKind = "token" | "wrapped" | "deflating";

export interface DeployedToken extends TokenSpec {
  readonly address: Hex;
  readonly kind: TokenKind;
}

/** Tokens in pool order. */
export interface DeployedPool {
  readonly address: Hex;
  readonly token0: DeployedToken;
  readonly token1: DeployedToken;
  readonly fee: number;
  readonly version: 2 | 3;
}

/** Contract addresses, determined by the network's name. */
export interface Addresses {
  readonly wrapped: DeployedToken;
  readonly stables: readonly DeployedToken[];
  /** Without the fee-on-transfer token and the copy. */
  readonly tokens: readonly DeployedToken[];
  readonly deflating: DeployedToken;
  readonly copy: DeployedToken;
  /** The ERC-721 and the ERC-1155. */
  readonly collection: Hex;
  readonly items: Hex;
  /** Implementation of the clones and the proxy, the clone factory, and its first clone. */
  readonly wallet: Hex;
  readonly proxy: Hex;
  readonly factory: Hex;
  readonly clone: Hex;
  readonly v2: { readonly factory: Hex; readonly router: Hex; readonly pairs: readonly DeployedPool[] };
  readonly v3: {
    readonly factory: Hex;
    readonly positions: Hex;
    readonly router: Hex;
    readonly quoter: Hex;
    readonly pools: readonly DeployedPool[];
  };
}
