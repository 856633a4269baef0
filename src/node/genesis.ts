import type { Hex } from "../chain/encoding/hex.ts";

/** How many blobs a fork wants in a block, how many it lets in, and how fast their fee follows (EIP-7840). */
export interface BlobSchedule {
  readonly target: number;
  readonly max: number;
  readonly baseFeeUpdateFraction: number;
}

export interface GenesisAccount {
  readonly balance?: string;
  readonly nonce?: string;
  readonly code?: Hex;
  readonly storage?: Readonly<Record<string, Hex>>;
}

/** Contracts that are at the same address of most chains, and may be on a new one from its first block. */
export const PREDEPLOYS = ["multicall3", "permit2"] as const;
export type Predeploy = (typeof PREDEPLOYS)[number];

/** What a chain begins with, in the form of geth's genesis.json. */
export interface Genesis {
  readonly config: {
    readonly chainId: number;
    readonly depositContractAddress?: Hex;
    readonly blobSchedule?: Readonly<Record<string, BlobSchedule>>;
    /** What of its forks a chain does without. */
    readonly disabledEips?: readonly number[];
    readonly [fork: string]: unknown;
  };
  readonly nonce: string;
  readonly timestamp: string;
  readonly extraData: string;
  readonly gasLimit: string;
  readonly difficulty: string;
  readonly mixHash: Hex;
  readonly coinbase: Hex;
  readonly baseFeePerGas?: Hex;
  readonly excessBlobGas?: Hex;
  readonly blobGasUsed?: Hex;
  readonly alloc: Readonly<Record<string, GenesisAccount>>;
  /** What is deployed before the first block besides. */
  readonly predeploys?: readonly Predeploy[];
}
