import type { AddressBytes } from "../encoding/bytes.ts";
import type { Uint } from "../encoding/uint.ts";

/** Stored call types: value transfers, creations and self-destructs. */
export const CALL_TYPES = ["call", "callcode", "create", "create2", "selfdestruct"] as const;

export type CallType = (typeof CALL_TYPES)[number];

/** Including types that move no value. */
export const ALL_CALL_TYPES = [...CALL_TYPES, "delegatecall", "staticcall"] as const;

export type AnyCallType = (typeof ALL_CALL_TYPES)[number];

/** A call made by contract code; the transaction's own call is not one. */
export interface InternalCall {
  readonly type: CallType;
  /** Preorder index within the transaction; the top-level call is 0. */
  readonly index: number;
  /** 1 for calls made by the top-level code. */
  readonly depth: number;
  readonly from: AddressBytes;
  /** Callee, created contract or beneficiary; null for a failed creation. */
  readonly to: AddressBytes | null;
  readonly value: Uint;
  readonly gas: number;
  readonly gasUsed: number;
  /** The node's error message. */
  readonly error: string | undefined;
  /** True if an enclosing call failed. */
  readonly isUndone: boolean;
}

export interface TracedCall extends Omit<InternalCall, "type"> {
  readonly type: AnyCallType;
}

export const isCreation = ({ type }: Pick<TracedCall, "type">): boolean => type === "create" || type === "create2";

export const hasHappened = ({ error, isUndone }: Pick<InternalCall, "error" | "isUndone">): boolean =>
  error === undefined && !isUndone;

export interface TracedTransaction {
  /** `too long` if the trace exceeds the size limit. */
  readonly calls: readonly InternalCall[] | "too long";
  /** The node's error message for the transaction. */
  readonly error: string | undefined;
}

/** Longer messages are truncated. */
export const MAX_ERROR_LENGTH = 200;
