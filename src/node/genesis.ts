import type { Hex } from "../chain/encoding/hex.ts";

/** EIP-7840. */
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

/** Contracts with one address on most chains. */
export const PREDEPLOYS = ["multicall3", "permit2"] as const;
export type Predeploy = (typeof PREDEPLOYS)[number];

export interface Genesis {
  readonly config: {
    readonly chainId: number;
    readonly depositContractAddress?: Hex;
    readonly blobSchedule?: Readonly<Record<string, BlobSchedule>>;
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
  readonly predeploys?: readonly Predeploy[];
}
