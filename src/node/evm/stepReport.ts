import { EVMError } from "@ethereumjs/evm";
import type { Execution } from "./execution.ts";
import type { Frame } from "./frame.ts";
import type { Watcher } from "./watcher.ts";

export const OUT_OF_GAS = "out of gas";

const CALLS = new Set([0xf1, 0xf2, 0xf4, 0xfa]);

/** Of an instruction that the watcher wants: before it changes anything, and once. */
export class StepReport {
  readonly #watcher: Watcher;
  readonly #frame: Frame;
  readonly #execution: Execution;
  #opcode: number | undefined;
  #programCounter = 0;
  #gas = 0;
  #base = 0;

  constructor(watcher: Watcher, frame: Frame, execution: Execution) {
    this.#watcher = watcher;
    this.#frame = frame;
    this.#execution = execution;
  }

  open(opcode: number): void {
    this.#opcode = opcode;
    this.#programCounter = this.#frame.programCounter;
    this.#gas = this.#frame.gas;
  }

  /** Before its dynamic gas is charged. */
  charge(gas: number, passed: number): void {
    if (this.#opcode === undefined) return;
    const cost = this.#base + gas;
    const isUnpaid = cost > this.#gas;
    // The price is not told where no gas would pay it, nor that of a call which is not made.
    const isKnown = Number.isFinite(cost) && !(isUnpaid && CALLS.has(this.#opcode));
    this.note(isKnown ? cost + passed : this.#base, isUnpaid ? OUT_OF_GAS : undefined);
  }

  note(cost: number, error?: string): void {
    const opcode = this.#opcode;
    if (opcode === undefined) return;
    this.#opcode = undefined;
    const step = { opcode, programCounter: this.#programCounter, gas: this.#gas, cost, error };
    this.#execution.watchedWork += this.#watcher.step(step, this.#frame, this.#execution.refund);
  }

  /** Completed when the instruction is charged. One that fails before is reported as it fails. */
  whenCharged(base: number, run: () => unknown): unknown {
    this.#base = base;
    try {
      return run();
    } catch (error) {
      if (error instanceof EVMError) {
        this.note(base, error.error === EVMError.errorMessages.OUT_OF_GAS ? OUT_OF_GAS : undefined);
      }
      throw error;
    } finally {
      this.#opcode = undefined;
    }
  }
}
