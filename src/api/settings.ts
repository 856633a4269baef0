import type { FastifyBaseLogger } from "fastify";
import type { Hex } from "../chain/encoding/hex.ts";

/** What an app must know of its network and of where it stands. */
export interface AppSettings {
  /** Of this program. */
  readonly version: string;
  readonly chainId: number;
  readonly chainName: string;
  /** The proxies whose `X-Forwarded-For` is believed. */
  readonly trustProxy?: readonly string[] | undefined;
  /** Who may use the JSON-RPC methods that are not for the public; without it, programs on this machine. */
  readonly devMethods?: DevMethods | undefined;
  /** Whether people whom the operator does not know reach the server. */
  readonly isPublic?: boolean | undefined;
  /** Sent as a bearer token, it stands for a program on this machine. */
  readonly accessToken?: string | undefined;
  readonly logger?: FastifyBaseLogger | undefined;
  /** The chain's blob base fee update fraction (EIP-4844). */
  readonly blobUpdateFraction?: number | undefined;
  readonly blockReward?: bigint | undefined;
  readonly compat?: Compat | undefined;
  /** Units that a client may use in a second; without it clients are not limited. */
  readonly rateLimit?: number | undefined;
  /** Without it there are no pages. */
  readonly web?: WebSettings | undefined;
}

/** The chain id of the specification's testnet (section 4.3), by whatever name it is served. */
export const TESTNET_CHAIN_ID = 968;

/** What the pages of a network say of it. */
export interface WebSettings {
  /** The symbol of the chain's coin. */
  readonly coin: string;
  /** Whether what is on the chain is worth nothing. */
  readonly isTestnet: boolean;
  /** The other networks of this process. */
  readonly others: readonly OtherNetwork[];
  /** Of an embedded chain: the accounts that have coins from the start. */
  readonly accounts?: (() => Promise<readonly FundedAccount[]>) | undefined;
}

/** An account that has coins from the start, and its key where everybody knows it. */
export interface FundedAccount {
  readonly address: Hex;
  readonly privateKey?: Hex;
}

export interface OtherNetwork {
  readonly name: string;
  readonly title: string;
  /** Where it is served on this host. */
  readonly port: number;
}

/** Who may use development, `debug_` and `txpool_` methods: programs on this machine, everybody or nobody. */
export type DevMethods = "loopback" | "all" | "none";

/** Whose clients a network's answers are shaped for, where that differs from the specification. */
export type Compat = "none" | "blockscout";
