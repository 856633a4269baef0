import type { Block } from "./block/block.ts";
import type { Transaction } from "./block/transaction.ts";
import type { AddressBytes, Bytes, Hash } from "./encoding/bytes.ts";
import type { ChainError } from "./error.ts";

export interface Head {
  readonly number: number;
  readonly hash: Hash;
  readonly timestamp: number;
  readonly safe: number;
  readonly finalized: number;
}

export interface ContractCall {
  readonly to: AddressBytes;
  readonly data: Bytes;
}

/** Return data, a revert, or the reason the node could not answer. */
export type CallOutcome = Bytes | "reverted" | ChainError;

export interface RpcQuestion {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A block source: a JSON-RPC node or the embedded chain. Every method throws ChainError. */
export interface Source {
  /** For logs and errors; never a URL with a key. */
  readonly name: string;
  /** A development chain, followed even when it goes back or starts over. */
  readonly authoritative: boolean;
  head(): Promise<Head>;
  /** Canonical hashes at some heights; undefined where there is no block. */
  hashes(numbers: readonly number[]): Promise<(Hash | undefined)[]>;
  /** Up to `count` consecutive blocks with receipts; fewer at the head or if the response would be too large. */
  blocks(from: number, count: number): Promise<Block[]>;
  block(id: number | Hash): Promise<Block | undefined>;
  /** The block is set once the transaction is mined. */
  transaction(hash: Hash): Promise<{ transaction: Transaction; block?: Block } | undefined>;
  /** Calls contracts on the state after a block. Throws if none of the calls could be answered. */
  call(calls: readonly ContractCall[], at: Pick<Head, "number" | "hash">): Promise<CallOutcome[]>;
  /** Rejects a result of more than `maxBytes`. */
  request(method: string, params: readonly unknown[], maxBytes?: number): Promise<unknown>;
  /** In order; throws if one fails. */
  requests(questions: readonly RpcQuestion[]): Promise<unknown[]>;
  /** Calls the listener when the head or its state changes, if the source announces that. */
  watch?(listener: () => void): void;
  close(): Promise<void>;
}
