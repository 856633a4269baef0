import type { Address } from "@ethereumjs/util";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import type { RunState } from "../../machine/instructions.ts";
import type { WorldState } from "../../state/worldState.ts";
import type { Message } from "../message.ts";

export type FrameType = "CALL" | "CALLCODE" | "DELEGATECALL" | "STATICCALL" | "CREATE" | "CREATE2" | "SELFDESTRUCT";

export interface Frame {
  readonly type: FrameType;
  readonly from: Address;
  /** Known only at the end for creations. */
  readonly to: Address | undefined;
  readonly input: Bytes;
  readonly gas: bigint;
  readonly value: bigint | undefined;
  readonly depth: number;
}

export interface FrameEnd {
  readonly output: Bytes;
  readonly gasUsed: bigint;
  readonly error: string | undefined;
  readonly createdAddress: Address | undefined;
}

export interface Step {
  readonly opcode: number;
  readonly programCounter: number;
  readonly gas: bigint;
  readonly cost: bigint;
  readonly depth: number;
  readonly memorySize: number;
  readonly runState: RunState;
  readonly error: string | undefined;
}

export interface EmittedLog {
  readonly address: Address;
  readonly topics: readonly Bytes[];
  readonly data: Bytes;
}

export interface TransactionLocation {
  readonly blockHash: Hex | null;
  readonly blockNumber: number;
  readonly transactionHash: Hex | null;
  readonly transactionPosition: number;
}

/** A transaction about to run, and the state before it. */
export interface Beginning {
  /** Undefined for calls outside a block. */
  readonly place?: TransactionLocation;
  readonly message: Pick<Message, "from" | "to" | "gas" | "authorizationList">;
  readonly state: WorldState;
  readonly coinbase: Address;
  readonly isPrecompile: (address: Address) => boolean;
}

export interface Tracer {
  /** Opcodes to report; all if undefined. */
  readonly opcodes?: ReadonlySet<number>;
  begin?(beginning: Beginning): void | Promise<void>;
  step?(step: Step): void | Promise<void>;
  enter?(frame: Frame): void;
  exit?(frame: Frame, end: FrameEnd): void;
  log?(log: EmittedLog): void;
  /** The transaction has ended; the state is the one after it. */
  end?(gasUsed: bigint): void | Promise<void>;
  result(): unknown;
}
