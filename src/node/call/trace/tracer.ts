import type { Address } from "@ethereumjs/util";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import type { RunState } from "../../state/instructions.ts";
import type { WorldState } from "../../state/worldState.ts";
import type { Message } from "../message.ts";

export type FrameType = "CALL" | "CALLCODE" | "DELEGATECALL" | "STATICCALL" | "CREATE" | "CREATE2" | "SELFDESTRUCT";

/** One call of a contract, creation or destruction as it begins. */
export interface Frame {
  readonly type: FrameType;
  readonly from: Address;
  /** Of a creation it is known at the end. */
  readonly to: Address | undefined;
  readonly input: Bytes;
  readonly gas: bigint;
  readonly value: bigint | undefined;
  /** 0 for the transaction itself. */
  readonly depth: number;
}

export interface FrameEnd {
  readonly output: Bytes;
  readonly gasUsed: bigint;
  /** Why it failed, in geth's words. */
  readonly error: string | undefined;
  readonly createdAddress: Address | undefined;
}

/** One instruction before it runs. */
export interface Step {
  readonly opcode: number;
  readonly programCounter: number;
  readonly gas: bigint;
  readonly cost: bigint;
  /** 1 for the transaction itself. */
  readonly depth: number;
  /** In words. */
  readonly memorySize: number;
  readonly runState: RunState;
  /** Why it will not run. */
  readonly error: string | undefined;
}

export interface EmittedLog {
  readonly address: Address;
  readonly topics: readonly Bytes[];
  readonly data: Bytes;
}

/** Where a transaction stands on the chain. */
export interface Place {
  readonly blockHash: Hex | null;
  readonly blockNumber: number;
  readonly transactionHash: Hex | null;
  readonly transactionPosition: number;
}

/** A transaction about to run, and the state before it. */
export interface Beginning {
  /** None for a call that is in no block. */
  readonly place?: Place;
  readonly message: Pick<Message, "from" | "to" | "gas" | "authorizationList">;
  readonly state: WorldState;
  readonly coinbase: Address;
  readonly isPrecompile: (address: Address) => boolean;
}

/** Listens to an execution and makes something of it. */
export interface Tracer {
  /** The instructions it wants to hear of; all of them where this is left out. */
  readonly opcodes?: ReadonlySet<number>;
  begin?(beginning: Beginning): void | Promise<void>;
  step?(step: Step): void | Promise<void>;
  enter?(frame: Frame): void;
  exit?(frame: Frame, end: FrameEnd): void;
  log?(log: EmittedLog): void;
  /** The transaction has run; the state is the one after it. */
  end?(gasUsed: bigint): void | Promise<void>;
  result(): unknown;
}
