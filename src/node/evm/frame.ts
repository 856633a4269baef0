import { EVMError } from "@ethereumjs/evm";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import { Memory } from "./memory.ts";
import type { Program } from "./program.ts";
import { NO_PROGRAM } from "./program.ts";
import type { Word } from "./word.ts";
import { wordFromName } from "./word.ts";

/** A call of an account's code, or the creation of an account. Addresses are 40 digits. */
export interface Call {
  readonly isCreation: boolean;
  readonly caller: string;
  /** Whose storage and money it works with. */
  readonly address: string;
  /** Whose code runs; of a creation it comes with the call. */
  readonly codeAddress: string;
  readonly initCode: Bytes;
  readonly value: Word;
  /** Not so for a DELEGATECALL, which only shows the value. */
  readonly movesValue: boolean;
  readonly data: Bytes;
  readonly gas: number;
  readonly isStatic: boolean;
  readonly depth: number;
}

/** What a call that fails takes back besides the state. */
export interface Mark {
  readonly refund: number;
  readonly logs: number;
  readonly transient: number;
  readonly destroyed: ReadonlyMap<string, string>;
  readonly created: ReadonlySet<string>;
}

const NO_STACK: Word[] = [];

/** One call under way. */
export class Frame {
  readonly call: Call;
  readonly mark: Mark;
  program: Program = NO_PROGRAM;
  stack = NO_STACK;
  /** How many words are on the stack. */
  height = 0;
  programCounter = 0;
  gas: number;
  readonly memory = new Memory();
  /** What the last call returned that this one made. */
  returnData: Bytes = EMPTY;
  /** Where in memory the call under way puts what it returns. */
  outputOffset = 0;
  outputLength = 0;

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

  /** Takes the gas of an instruction that has already been passed. */
  charge(gas: number): void {
    this.gas -= gas;
    if (this.gas >= 0) return;
    // It did not run, so the counter stands at it.
    this.programCounter--;
    throw outOfGas();
  }

  /** Pays for memory up to there, and has it. */
  reach(offset: Word, length: Word, gas: number): void {
    this.charge(gas + this.memory.growthCost(offset, length));
    this.memory.grow(offset, length);
  }

  push(word: Word): void {
    this.stack[this.height++] = word;
  }

  /** Puts a word in the place of the highest. */
  replace(word: Word): void {
    this.stack[this.height - 1] = word;
  }

  /** A word by its distance from the highest. */
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

/** Stacks that are not in use. Each is made for words of both kinds, so that none has to be made over. */
const stacks: Word[][] = [];

export function takeStack(): Word[] {
  return stacks.pop() ?? Array.from<Word>({ length: 32 }).fill(2n ** 255n);
}

export function returnStack(stack: Word[]): void {
  if (stack !== NO_STACK && stacks.length < 64) stacks.push(stack);
}
