import type { Block } from "./block/block.ts";
import type { Transaction } from "./block/transaction.ts";
import type { AddressBytes, Bytes, Hash } from "./encoding/bytes.ts";
import type { ChainError } from "./error.ts";

/** The newest block of a source and how far it calls the chain settled. */
export interface Head {
  readonly number: number;
  readonly hash: Hash;
  readonly timestamp: number;
  readonly safe: number;
  readonly finalized: number;
}

/** A call of a contract that changes nothing. */
export interface ContractCall {
  readonly to: AddressBytes;
  readonly data: Bytes;
}

/** What became of a call: what the contract returned, that it failed, or why the node could not say. */
export type CallOutcome = Bytes | "reverted" | ChainError;

/** A call of JSON-RPC. */
export interface RpcQuestion {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Where blocks come from: a node behind JSON-RPC, or an embedded one. Every method throws a ChainError. */
export interface Source {
  /** What the source calls itself in logs and errors: never a URL with a key in it. */
  readonly name: string;
  /** An authoritative source (a development chain) is followed when it goes back or starts over. */
  readonly authoritative: boolean;
  head(): Promise<Head>;
  /** The hashes of the canonical blocks at some heights; undefined where the source has none. */
  hashes(numbers: readonly number[]): Promise<(Hash | undefined)[]>;
  /** Up to `count` consecutive blocks with receipts; fewer where the source ends or an answer would grow too large. */
  blocks(from: number, count: number): Promise<Block[]>;
  block(id: number | Hash): Promise<Block | undefined>;
  /** A transaction and, once it is mined, its block. */
  transaction(hash: Hash): Promise<{ transaction: Transaction; block?: Block } | undefined>;
  /** Calls contracts as the chain stood after one block; throws where nothing can be said of any of the calls. */
  call(calls: readonly ContractCall[], at: Pick<Head, "number" | "hash">): Promise<CallOutcome[]>;
  /** The result of a call; one of more than `mostBytes` is refused. */
  request(method: string, params: readonly unknown[], mostBytes?: number): Promise<unknown>;
  /** The results of some reads, in their order; throws where one of them fails. */
  requests(questions: readonly RpcQuestion[]): Promise<unknown[]>;
  /** Tells when the head is another block or the state after it was changed, where the source says so unasked. */
  watch?(listener: () => void): void;
  close(): Promise<void>;
}
