import type { EVMError } from "@ethereumjs/evm";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Call, Frame } from "./frame.ts";
import type { Word } from "./word.ts";

/** An instruction that is about to run. */
export interface WatchedStep {
  readonly opcode: number;
  readonly programCounter: number;
  readonly gas: number;
  /** With the gas that a call passes on, as geth counts it. */
  readonly cost: number;
  readonly error: string | undefined;
}

/** A call that was not begun: too deep, or its value is not there. */
export interface Attempt {
  readonly opcode: number;
  readonly caller: string;
  readonly target: string | undefined;
  readonly input: Bytes;
  readonly gas: number;
  readonly value: Word;
  readonly depth: number;
}

/** Is told what an execution does. Addresses have 40 hex digits. */
export interface Watcher {
  /** 1 for each opcode whose steps are reported. */
  readonly steps: Uint8Array | undefined;
  /** Nothing has changed yet. Returns how much work it was. */
  step(step: WatchedStep, frame: Frame, refund: number): number;
  enter(call: Call): void;
  exit(frame: Frame, output: Bytes, error: EVMError | undefined): void;
  attempt(attempt: Attempt): void;
  log(address: Bytes, topics: readonly Bytes[], data: Bytes): void;
  destroy(address: string, beneficiary: string, balance: bigint, depth: number): void;
}
