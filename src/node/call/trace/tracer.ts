import type { Address } from "@ethereumjs/util";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import type { Word } from "../../evm/word.ts";
import type { WorldState } from "../../state/worldState.ts";
import type { Message } from "../message.ts";

export type FrameType = "CALL" | "CALLCODE" | "DELEGATECALL" | "STATICCALL" | "CREATE" | "CREATE2" | "SELFDESTRUCT";

/** By opcode. */
export const CALL_TYPES: Readonly<Record<number, FrameType>> = {
  240: "CREATE",
  241: "CALL",
  242: "CALLCODE",
  244: "DELEGATECALL",
  245: "CREATE2",
  250: "STATICCALL",
};

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
  readonly gas: number;
  readonly cost: number;
  readonly depth: number;
  readonly error: string | undefined;
  readonly scope: Scope;
}

/** State before an instruction. Valid until the step has been reported. */
export interface Scope {
  /** 40 hex digits. */
  readonly address: string;
  readonly height: number;
  /** From the top. */
  peek(distance: number): Word;
  readonly memoryWords: number;
  /** Zero beyond its end. */
  memory(offset: number, length: number): Bytes;
  readonly returnData: Bytes;
  readonly refund: number;
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
  /** Returns how much work it was, of which an instruction is one. */
  step?(step: Step): number;
  enter?(frame: Frame): void;
  exit?(frame: Frame, end: FrameEnd): void;
  log?(log: EmittedLog): void;
  /** The transaction has ended; the state is the one after it. */
  end?(gasUsed: bigint): void | Promise<void>;
  result(): unknown;
}
