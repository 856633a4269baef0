import { EVMError } from "@ethereumjs/evm";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import { Memory } from "./memory.ts";
import type { Program } from "./program.ts";
import { NO_PROGRAM } from "./program.ts";
import type { Word } from "./word.ts";
import { wordFromName } from "./word.ts";

/** A call or creation. Addresses have 40 hex digits. */
export interface Call {
  /** The instruction, CALL or CREATE for that of a transaction. */
  readonly opcode: number;
  readonly isCreation: boolean;
  readonly caller: string;
  readonly address: string;
  readonly codeAddress: string;
  readonly initCode: Bytes;
  readonly value: Word;
  /** False for DELEGATECALL, which only shows the value. */
  readonly movesValue: boolean;
  readonly data: Bytes;
  readonly gas: number;
  readonly isStatic: boolean;
  readonly depth: number;
}

/** Rolled back with a failed call, besides the state. */
export interface Mark {
  readonly refund: number;
  readonly logs: number;
  readonly transient: number;
  readonly destroyed: ReadonlyMap<string, string>;
  readonly created: ReadonlySet<string>;
}

/** Is told what an instruction costs before it is charged. */
interface ChargeReport {
  charge(gas: number, passed: number): void;
}

const NO_STACK: Word[] = [];

export class Frame {
  readonly call: Call;
  readonly mark: Mark;
  program: Program = NO_PROGRAM;
  stack = NO_STACK;
  height = 0;
  programCounter = 0;
  gas: number;
  readonly memory = new Memory();
  returnData: Bytes = EMPTY;
  /** Memory offset for the output of the pending subcall. */
  outputOffset = 0;
  outputLength = 0;
  /** Of a watched call. */
  charges: ChargeReport | undefined = undefined;

  #callerWord: Word | undefined;
  #addressWord: Word | undefined;

  constructor(call: Call, mark: Mark) {
    this.call = call;
    this.mark = mark;
    this.gas = call.gas;
  }

  get callerWord(): Word {
    this.#callerWord ??= wordFromName(this.call.caller);
    return this.#callerWord;
  }

  get addressWord(): Word {
    this.#addressWord ??= wordFromName(this.call.address);
    return this.#addressWord;
  }

  /** Charges gas for an instruction that was already passed. What it passes on to a call is not charged here. */
  charge(gas: number, passed = 0): void {
    if (this.charges !== undefined) this.charges.charge(gas, passed);
    this.gas -= gas;
    if (this.gas >= 0) return;
    // It did not run, so the counter points at it.
    this.programCounter--;
    throw outOfGas();
  }

  reach(offset: Word, length: Word, gas: number): void {
    this.charge(gas + this.memory.growthCost(offset, length));
    this.memory.grow(offset, length);
  }

  push(word: Word): void {
    this.stack[this.height++] = word;
  }

  replace(word: Word): void {
    this.stack[this.height - 1] = word;
  }

  peek(distance: number): Word {
    return this.stack[this.height - 1 - distance]!;
  }

  expectChangeable(): void {
    if (this.call.isStatic) throw new EVMError(EVMError.errorMessages.STATIC_STATE_CHANGE);
  }
}

export function outOfGas(): EVMError {
  return new EVMError(EVMError.errorMessages.OUT_OF_GAS);
}

/** Free stacks. Each has held both kinds of words, so that V8 keeps their representation. */
const stacks: Word[][] = [];

export function takeStack(): Word[] {
  return stacks.pop() ?? Array.from<Word>({ length: 32 }).fill(2n ** 255n);
}

export function returnStack(stack: Word[]): void {
  if (stack !== NO_STACK && stacks.length < 64) stacks.push(stack);
}
