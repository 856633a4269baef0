import type { AddressBytes } from "../encoding/bytes.ts";
import type { Uint } from "../encoding/uint.ts";

/** What is kept of the calls in a transaction: those that carry value, creations and self-destructions. */
export const CALL_TYPES = ["call", "callcode", "create", "create2", "selfdestruct"] as const;

export type CallType = (typeof CALL_TYPES)[number];

/** All calls: also those that run the code of others in place of their own, and those that may change nothing. */
export const ALL_CALL_TYPES = [...CALL_TYPES, "delegatecall", "staticcall"] as const;

export type AnyCallType = (typeof ALL_CALL_TYPES)[number];

/** A call that the code of a transaction made. What the transaction itself calls is none of these. */
export interface InternalCall {
  readonly type: CallType;
  /** Its place among all calls of the transaction in the order in which they begin, the transaction's own being 0. */
  readonly index: number;
  /** 1 for a call by the code that the transaction called. */
  readonly depth: number;
  readonly from: AddressBytes;
  /** Whom it called, what it created, or who got the balance; null for a creation that came to no address. */
  readonly to: AddressBytes | null;
  readonly value: Uint;
  readonly gas: number;
  readonly gasUsed: number;
  /** Why it failed, in the words of the node. */
  readonly error: string | undefined;
  /** Whether a call around it failed, so that it never happened. */
  readonly isUndone: boolean;
}

/** A call of any type. */
export interface TracedCall extends Omit<InternalCall, "type"> {
  readonly type: AnyCallType;
}

export const isCreation = ({ type }: Pick<TracedCall, "type">): boolean => type === "create" || type === "create2";

/** Whether it took effect. */
export const hasHappened = ({ error, isUndone }: Pick<InternalCall, "error" | "isUndone">): boolean =>
  error === undefined && !isUndone;

/** What is kept of the trace of a transaction. */
export interface TracedTransaction {
  /** `too long` where the trace is larger than is read. */
  readonly calls: readonly InternalCall[] | "too long";
  /** Why the transaction itself failed, in the words of the node. */
  readonly error: string | undefined;
}

/** What is longer of an error is cut. */
export const MAX_ERROR_LENGTH = 200;
