import type { FastifyBaseLogger } from "fastify";
import type { Hex } from "../chain/encoding/hex.ts";

export interface AppSettings {
  readonly version: string;
  readonly chainId: number;
  readonly chainName: string;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustProxy?: readonly string[] | undefined;
  /** Defaults to programs on this machine. */
  readonly devMethods?: DevMethods | undefined;
  /** Whether strangers can reach the server. */
  readonly isPublic?: boolean | undefined;
  /** Bearer token that marks a request as local. */
  readonly accessToken?: string | undefined;
  readonly logger?: FastifyBaseLogger | undefined;
  /** Blob base fee update fraction (EIP-4844). */
  readonly blobUpdateFraction?: number | undefined;
  readonly blockReward?: bigint | undefined;
  readonly compat?: Compat | undefined;
  /** Units per second and client; undefined for no limit. */
  readonly rateLimit?: number | undefined;
  /** Undefined disables the web explorer. */
  readonly web?: WebSettings | undefined;
}

/** Chain id of the specification's testnet (section 4.3). */
export const TESTNET_CHAIN_ID = 968;

export interface WebSettings {
  readonly coin: string;
  /** Whether the chain's assets are worthless. */
  readonly isTestnet: boolean;
  /** Other networks of this process. */
  readonly others: readonly OtherNetwork[];
  /** Prefunded accounts of an embedded chain. */
  readonly accounts?: (() => Promise<readonly FundedAccount[]>) | undefined;
}

/** The key is set if it is public knowledge. */
export interface FundedAccount {
  readonly address: Hex;
  readonly privateKey?: Hex;
}

export interface OtherNetwork {
  readonly name: string;
  readonly title: string;
  /** Port on the same host. */
  readonly port: number;
}

/** Access to development, `debug_` and `txpool_` methods. */
export type DevMethods = "loopback" | "all" | "none";

/** Client family whose response formats take precedence over the specification. */
export type Compat = "none" | "blockscout";
