import { EVMError } from "@ethereumjs/evm";
import { stackFault } from "../../evm/opcodes.ts";
import type { Instruction, Instructions, RunState } from "../../machine/instructions.ts";
import type { Pace } from "../../state/pace.ts";
import type { Step, Tracer } from "./tracer.ts";

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
      if (isInvalid) {
        await tracer.step!({ ...start, cost: 0n, error: undefined });
        return 0n;
      }
      const fault = stackFault(opcode, runState.stack.length);
      if (fault !== undefined) {
        await tracer.step!({ ...start, cost: 0n, error: fault });
        throw new EVMError(EVMError.errorMessages.STACK_UNDERFLOW);
      }
      const gas = dynamicGas ? await dynamicCost() : fee;
      const cost = CALLS.has(opcode) ? gas + (runState.messageGasLimit ?? 0n) : gas;
      await tracer.step!({ ...start, cost, error: gas > start.gas ? "out of gas" : undefined });
      return gas;

      async function dynamicCost(): Promise<bigint> {
        try {
          return await gasHandler(runState, fee, common);
        } catch (error) {
          if (error instanceof EVMError) await tracer.step!({ ...start, cost: fee, ...faultOf(error) });
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
    gas: runState.gasLeft,
    depth: runState.env.depth + 1,
    memorySize: Number(runState.memoryWordCount),
    runState,
  };
}

/** geth detects write protection and return data overruns only on execution. */
function faultOf({ error }: EVMError): Pick<Step, "error"> {
  return { error: error === EVMError.errorMessages.OUT_OF_GAS ? "out of gas" : undefined };
}
