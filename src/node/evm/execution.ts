import type { ExecResult, Log } from "@ethereumjs/evm";
import { EVMError } from "@ethereumjs/evm";
import type { Account } from "@ethereumjs/util";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import { addTo, takeFrom } from "./balances.ts";
import { beginCreation, endCreation } from "./creation.ts";
import type { ExecutionContext } from "./executionContext.ts";
import type { Call, Mark } from "./frame.ts";
import { Frame, returnStack, takeStack } from "./frame.ts";
import { Program, programOf } from "./program.ts";
import type { Word } from "./word.ts";
import { wordFromName } from "./word.ts";

export interface Ended {
  readonly frame: Frame;
  readonly output: Bytes;
  readonly error: EVMError | undefined;
}

/** Instructions, or equivalent work, between checks of the clock. */
const WORK_BETWEEN_CHECKS = 4000;

/** Thrown by an execution that has more gas than a number can hold, when it depends on how much. */
export class InexactGas extends Error {}

const REVERT = EVMError.errorMessages.REVERT;

/**
 * The calls of one transaction. Runs synchronously on an explicit call stack, so that it can pause anywhere to yield or
 * to wait, and resume.
 */
export class Execution {
  readonly around: ExecutionContext;
  readonly #hasExactGas: boolean;
  readonly #frames: Frame[] = [];
  #ended: Ended | undefined;
  #waiting: Promise<void> | undefined;
  #workLeft = WORK_BETWEEN_CHECKS;
  /** Work of the watcher since it was last counted. */
  watchedWork = 0;
  refund = 0;
  logs: Log[] = [];
  destroyed: ReadonlyMap<string, string> = new Map();
  created: ReadonlySet<string> = new Set();
  readonly transient = new Map<string, Word>();
  readonly #transientChanges: (readonly [string, Word])[] = [];
  readonly originals = new Map<string, Word>();

  constructor(around: ExecutionContext, hasExactGas: boolean) {
    this.around = around;
    this.#hasExactGas = hasExactGas;
  }

  expectExactGas(): void {
    if (!this.#hasExactGas) throw new InexactGas();
  }

  /** Takes back what unfinished calls changed. */
  abandon(): void {
    while (this.#frames.pop() !== undefined) this.around.journal.takeBack();
  }

  get current(): Frame | undefined {
    return this.#waiting === undefined ? this.#frames.at(-1) : undefined;
  }

  get ended(): Ended | undefined {
    return this.#ended;
  }

  /** Returns the pending promise once. */
  takeWaiting(): Promise<void> | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }

  /** Counts work. Returns true if it is time to yield. */
  work(amount: number): boolean {
    this.#workLeft -= amount;
    if (this.#workLeft > 0) return false;
    // Waiting for a precompile yields anyway; the clock is checked when it is done.
    if (this.#waiting !== undefined) return true;
    this.#workLeft = WORK_BETWEEN_CHECKS;
    const turn = this.around.pace?.check();
    if (turn === undefined) return false;
    this.#waiting = turn;
    return true;
  }

  workWatched(): boolean {
    const amount = this.watchedWork;
    this.watchedWork = 0;
    return this.work(amount);
  }

  waitFor<T>(promise: Promise<T>, use: (value: T) => void): void {
    this.#waiting = promise.then(use);
  }

  begin(call: Call): void {
    const { journal, watcher } = this.around;
    watcher?.enter(call);
    if (call.isCreation) journal.warm(call.address);
    const frame = new Frame(call, this.#mark());
    this.#frames.push(frame);
    journal.open();
    if (call.isCreation) this.created = new Set(this.created).add(`0x${call.address}`);
    const error = call.isCreation ? beginCreation(this.around, frame) : this.#beginCall(frame);
    if (error !== undefined) this.end(frame, EMPTY, error);
    else if (call.isCreation) this.#enter(frame, new Program(call.initCode));
    else if (this.around.precompiles.has(call.codeAddress)) this.#runPrecompile(frame);
    else this.#enter(frame, programOf(this.#codeOf(call)));
  }

  #mark(): Mark {
    const { refund, logs, destroyed, created } = this;
    return { refund, logs: logs.length, transient: this.#transientChanges.length, destroyed, created };
  }

  #beginCall({ call }: Frame): EVMError | undefined {
    const { caller, address, value, movesValue } = call;
    if (!movesValue) return undefined;
    return takeFrom(this.around, caller, value) ?? addTo(this.around, address, value);
  }

  #codeOf({ codeAddress, depth }: Call): Bytes {
    const { state, journal, fork } = this.around;
    const code = state.codeAt(codeAddress);
    const target = fork.delegates ? delegateOf(code) : undefined;
    if (target === undefined) return code;
    if (depth === 0) journal.addAlwaysWarmAddress(target);
    return state.codeAt(target);
  }

  #enter(frame: Frame, program: Program): void {
    if (program.code.length === 0) {
      this.around.onCodeless?.(frame.call.codeAddress, frame.call.data);
      this.end(frame, EMPTY, undefined);
    } else {
      frame.program = program;
      frame.stack = takeStack();
    }
  }

  #runPrecompile(frame: Frame): void {
    const { codeAddress, data, gas } = frame.call;
    const end = ({ executionGasUsed, returnValue, exceptionError }: ExecResult) => {
      frame.gas = gas - Number(executionGasUsed);
      this.end(frame, returnValue, exceptionError);
    };
    const result = this.around.precompiles.run(codeAddress, data, gas);
    if (result instanceof Promise) this.waitFor(result, end);
    else end(result);
    // Takes from microseconds to a whole turn, and its gas does not tell which.
    this.work(WORK_BETWEEN_CHECKS);
  }

  stop(frame: Frame, output: Bytes): void {
    const error = frame.call.isCreation ? endCreation(this.around, frame, output) : undefined;
    if (error === undefined) this.end(frame, output, undefined);
    else this.fail(frame, error);
  }

  /** An exceptional halt consumes all gas. */
  fail(frame: Frame, error: EVMError): void {
    frame.gas = 0;
    this.end(frame, EMPTY, error);
  }

  end(frame: Frame, output: Bytes, error: EVMError | undefined): void {
    this.#frames.pop();
    if (error === undefined) this.around.journal.keep();
    else this.#takeBack(frame);
    this.around.watcher?.exit(frame, output, error);
    const parent = this.#frames.at(-1);
    if (parent === undefined) {
      this.#ended = { frame, output, error };
      return;
    }
    returnStack(frame.stack);
    resume(parent, frame, output, error);
  }

  #takeBack({ mark }: Frame): void {
    this.around.journal.takeBack();
    this.refund = mark.refund;
    this.logs.length = mark.logs;
    this.destroyed = mark.destroyed;
    this.created = mark.created;
    for (const [name, before] of this.#transientChanges.splice(mark.transient).reverse()) {
      this.transient.set(name, before);
    }
  }

  setTransient(name: string, word: Word): void {
    this.#transientChanges.push([name, this.transient.get(name) ?? 0]);
    this.transient.set(name, word);
  }

  account(address: string): Account | undefined {
    return this.around.state.accountAt(address);
  }

  balance(address: string): bigint {
    return this.account(address)?.balance ?? 0n;
  }

  isEmpty(address: string): boolean {
    return this.account(address)?.isEmpty() ?? true;
  }

  /** Cost of accessing an address, which becomes warm (EIP-2929). */
  accessCost(address: string): number {
    const { journal, fork } = this.around;
    return journal.warm(address) ? fork.gas.coldAccount : fork.gas.warmRead;
  }
}

function resume(parent: Frame, { call, gas }: Frame, output: Bytes, error: EVMError | undefined): void {
  const isReverted = error?.error === REVERT;
  parent.gas += gas;
  parent.returnData = isReverted || (error === undefined && !call.isCreation) ? output : EMPTY;
  if (call.isCreation) {
    parent.push(error === undefined ? wordFromName(call.address) : 0);
    return;
  }
  const length = Math.min(parent.outputLength, parent.returnData.length);
  parent.memory.place(parent.outputOffset, parent.returnData, 0, length);
  parent.push(error === undefined ? 1 : 0);
}

/** Delegation target of 23-byte code. */
export function delegateOf(code: Bytes): string | undefined {
  if (code[0] !== 0xef || code[1] !== 0x01 || code[2] !== 0x00) return undefined;
  return Buffer.from(code.subarray(3, 23)).toString("hex");
}
