import { EVMError } from "@ethereumjs/evm";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { itemAt } from "../../../std/values.ts";
import { stackFault } from "../../evm/opcodes.ts";
import type { Word } from "../../evm/word.ts";
import { wordOf } from "../../evm/word.ts";
import type { Instruction, Instructions, RunState } from "../../machine/instructions.ts";
import type { Pace } from "../../state/pace.ts";
import type { Scope, Step, Tracer } from "./tracer.ts";

/** geth includes gas passed on in the cost of calls, but not of creations. */
const CALLS = new Set([0xf1, 0xf2, 0xf4, 0xfa]);

/** Reports each instruction with its cost before it runs. */
export function watchSteps(instructions: Instructions, tracer: Tracer, pace: Pace): Instructions {
  return instructions.map((instruction, opcode) =>
    tracer.opcodes === undefined || tracer.opcodes.has(opcode)
      ? watched(instruction, opcode, tracer, pace)
      : instruction,
  );
}

function watched(instruction: Instruction, opcode: number, tracer: Tracer, pace: Pace): Instruction {
  const { opcodeInfo, gasHandler } = instruction;
  const { dynamicGas, isInvalid } = opcodeInfo;
  return {
    ...instruction,
    opcodeInfo: { ...opcodeInfo, dynamicGas: true },
    gasHandler: async (runState, fee, common) => {
      await pace.check();
      const start = startOf(runState, opcode);
      const left = runState.gasLeft;
      if (isInvalid) {
        tracer.step!({ ...start, cost: 0, error: undefined });
        return 0n;
      }
      const fault = stackFault(opcode, runState.stack.length);
      if (fault !== undefined) {
        tracer.step!({ ...start, cost: 0, error: fault });
        throw new EVMError(EVMError.errorMessages.STACK_UNDERFLOW);
      }
      const gas = dynamicGas ? await dynamicCost() : fee;
      const cost = Number(CALLS.has(opcode) ? gas + (runState.messageGasLimit ?? 0n) : gas);
      tracer.step!({ ...start, cost, error: gas > left ? "out of gas" : undefined });
      return gas;

      async function dynamicCost(): Promise<bigint> {
        try {
          return await gasHandler(runState, fee, common);
        } catch (error) {
          if (error instanceof EVMError) tracer.step!({ ...start, cost: Number(fee), ...faultOf(error) });
          throw error;
        }
      }
    },
  };
}

function startOf(runState: RunState, opcode: number): Omit<Step, "cost" | "error"> {
  return {
    opcode,
    programCounter: runState.programCounter,
    gas: Number(runState.gasLeft),
    depth: runState.env.depth + 1,
    scope: new LibraryScope(runState, Number(runState.memoryWordCount)),
  };
}

export class LibraryScope implements Scope {
  readonly #runState: RunState;
  readonly #stack: readonly Word[];
  readonly memoryWords: number;

  constructor(runState: RunState, memoryWords: number) {
    this.#runState = runState;
    this.#stack = runState.stack.getStack().map(wordOf);
    this.memoryWords = memoryWords;
  }

  get address(): string {
    return Buffer.from(this.#runState.env.address.bytes).toString("hex");
  }

  get height(): number {
    return this.#stack.length;
  }

  peek(distance: number): Word {
    return itemAt(this.#stack, this.#stack.length - 1 - distance);
  }

  memory(offset: number, length: number): Bytes {
    const bytes = new Uint8Array(length);
    bytes.set(this.#runState.memory._store.subarray(offset, Math.min(offset + length, this.memoryWords * 32)));
    return bytes;
  }

  get returnData(): Bytes {
    return this.#runState.returnBytes;
  }

  get refund(): number {
    return Number(this.#runState.gasRefund);
  }
}

/** geth detects write protection and return data overruns only on execution. */
function faultOf({ error }: EVMError): Pick<Step, "error"> {
  return { error: error === EVMError.errorMessages.OUT_OF_GAS ? "out of gas" : undefined };
}
