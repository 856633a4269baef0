import { EVMError } from "@ethereumjs/evm";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import type { Ended, Execution } from "./execution.ts";
import type { Call, Frame } from "./frame.ts";
import { outOfGas } from "./frame.ts";
import { YIELD } from "./instructions/instruction.ts";
import type { InstructionTable } from "./instructionTable.ts";
import { interpretWatched } from "./watchedLoop.ts";
import type { Watcher } from "./watcher.ts";

export async function runToEnd(execution: Execution, table: InstructionTable, call: Call): Promise<Ended> {
  const { watcher } = execution.around;
  const run = isStepwise(watcher)
    ? (frame: Frame) => interpretWatched(frame, execution, table, watcher)
    : (frame: Frame) => interpret(frame, execution, table);
  execution.begin(call);
  for (;;) {
    for (let frame = execution.current; frame !== undefined; frame = execution.current) step(frame, execution, run);
    const waiting = execution.takeWaiting();
    if (waiting !== undefined) await waiting;
    else if (execution.ended !== undefined) return execution.ended;
  }
}

function isStepwise(watcher: Watcher | undefined): watcher is Watcher & { readonly steps: Uint8Array } {
  return watcher?.steps !== undefined;
}

function step(frame: Frame, execution: Execution, run: (frame: Frame) => void): void {
  try {
    run(frame);
  } catch (error) {
    if (!(error instanceof EVMError)) throw error;
    execution.fail(frame, error);
  }
}

const PUSH0 = 0x5f;
const DUP1 = 0x80;
const SWAP1 = 0x90;
const LAST_SIMPLE = 0x9f;

/** Runs until the call ends, makes a subcall or has to wait. */
function interpret(frame: Frame, execution: Execution, table: InstructionTable): void {
  const { instructions, costs, min, max, firstPush } = table;
  const { stack, program } = frame;
  const { code } = program;
  while (frame.programCounter < code.length) {
    const opcode = code[frame.programCounter]!;
    const { height } = frame;
    const cost = costs[opcode]!;
    if (height < min[opcode]! || height > max[opcode]!) throw stackFault(frame, table, opcode);
    if (frame.gas < cost) throw outOfGas();
    frame.gas -= cost;
    if (opcode < firstPush || opcode > LAST_SIMPLE) {
      frame.programCounter++;
      if (instructions[opcode]!(frame, execution) === YIELD) return;
    } else if (opcode < DUP1) {
      const size = opcode - PUSH0;
      stack[height] = size === 0 ? 0 : program.constant(frame.programCounter, size);
      frame.height = height + 1;
      frame.programCounter += size + 1;
    } else if (opcode < SWAP1) {
      stack[height] = stack[height + DUP1 - 1 - opcode]!;
      frame.height = height + 1;
      frame.programCounter++;
    } else {
      const other = height + SWAP1 - 2 - opcode;
      const word = stack[other]!;
      stack[other] = stack[height - 1]!;
      stack[height - 1] = word;
      frame.programCounter++;
    }
  }
  execution.stop(frame, EMPTY);
}

/** The library reports missing gas before a stack error, unless it checked the stack to compute the price. */
function stackFault(frame: Frame, { costs, min, isDynamic }: InstructionTable, opcode: number): EVMError {
  if (isDynamic[opcode] === 0 && frame.gas < costs[opcode]!) return outOfGas();
  const { STACK_UNDERFLOW, STACK_OVERFLOW } = EVMError.errorMessages;
  return new EVMError(frame.height < min[opcode]! ? STACK_UNDERFLOW : STACK_OVERFLOW);
}
