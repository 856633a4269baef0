import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { PoolType } from "../../chain/exchange/exchangeFields.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { Method } from "../decode/method.ts";

/** An amount of a token, or of the native coin if the token is null. */
export interface Asset {
  readonly token: KnownToken | null;
  /** Smallest units; the number of items of an ERC-721 collection. */
  readonly amount: bigint;
  /** Ids of items; undefined for fungible tokens. */
  readonly ids?: readonly bigint[];
}

/** A pool of a configured or confirmed factory. */
export interface ActionPool {
  readonly address: Bytes;
  readonly type: PoolType;
  /** Name of the exchange; undefined if anybody could have deployed it. */
  readonly exchange: string | undefined;
  /** Hundredths of a basis point. */
  readonly fee: number;
  readonly token0: KnownToken;
  readonly token1: KnownToken;
}

export interface TransferAction {
  readonly type: "transfer" | "mint" | "burn";
  readonly asset: Asset;
  /** Undefined if it was several accounts. */
  readonly from: Bytes | undefined;
  readonly to: Bytes | undefined;
}

/** Net amounts that pools took and paid. Both sides name the same token in a cycle of swaps. */
export interface SwapAction {
  readonly type: "swap";
  readonly given: readonly Asset[];
  readonly received: readonly Asset[];
  readonly pools: readonly ActionPool[];
}

export interface LiquidityAction {
  /** Collected are fees, and liquidity that was removed before. */
  readonly type: "add_liquidity" | "remove_liquidity" | "collect";
  readonly assets: readonly Asset[];
  readonly pool: ActionPool;
}

export interface ApprovalAction {
  readonly type: "approve";
  readonly token: KnownToken;
  readonly owner: Bytes;
  readonly spender: Bytes;
  /** An amount, an item, or all items of a collection. */
  readonly of: { readonly amount: bigint } | { readonly id: bigint } | { readonly all: boolean };
}

export interface WrapAction {
  readonly type: "wrap" | "unwrap";
  /** Of the wrapping token. */
  readonly asset: Asset;
  readonly account: Bytes;
}

export interface DelegationAction {
  readonly type: "delegate";
  /** Undefined if the signer is not recovered. */
  readonly account: Bytes | undefined;
  /** Undefined if the delegation is removed. */
  readonly delegate: Bytes | undefined;
  /** Whether the authorization took effect; undefined if that is unknown. */
  readonly isApplied: boolean | undefined;
}

export type Action =
  | TransferAction
  | SwapAction
  | LiquidityAction
  | ApprovalAction
  | WrapAction
  | DelegationAction
  | { readonly type: "create_contract"; readonly contract: Bytes }
  | { readonly type: "post_blobs"; readonly count: number; readonly to: Bytes | null }
  /** The native coin. */
  | { readonly type: "send"; readonly asset: Asset; readonly from: Bytes; readonly to: Bytes };

/** One call of a batch. */
export interface BatchPart {
  readonly to: Bytes;
  /** Name or selector; undefined for a plain payment. */
  readonly method: Method | undefined;
  readonly value: bigint;
}

/** The call of the transaction. */
export interface CallSummary {
  readonly from: Bytes;
  /** Null if it creates a contract. */
  readonly to: Bytes | null;
  readonly value: bigint;
  /** Name or selector; undefined for a plain payment. */
  readonly method: Method | undefined;
  /** Calls inside a multicall; empty for others. */
  readonly parts: readonly BatchPart[];
}

/** Actions of a transaction, with its call and failure. */
export interface TransactionActions {
  readonly call: CallSummary;
  /** Undefined if it did not fail; the text is that of the node or the contract. */
  readonly failure: { readonly reason: string | undefined } | undefined;
  readonly isPending: boolean;
  /** Most important first; empty if it failed or nothing is known beyond the call. */
  readonly actions: readonly Action[];
  /** Whether all logs were read. */
  readonly isComplete: boolean;
}

/** Larger allowances count as unlimited. */
export const UNLIMITED = 2n ** 255n;
