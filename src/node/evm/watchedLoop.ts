import { EVMError } from "@ethereumjs/evm";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import type { Execution } from "./execution.ts";
import type { Frame } from "./frame.ts";
import { YIELD } from "./instructions/instruction.ts";
import type { InstructionTable } from "./instructionTable.ts";
import { stackFault } from "./opcodes.ts";
import { OUT_OF_GAS, StepReport } from "./stepReport.ts";
import type { Watcher } from "./watcher.ts";

const STOP = 0x00;
const PUSH0 = 0x5f;
const DUP1 = 0x80;
const SWAP1 = 0x90;
const LAST_SIMPLE = 0x9f;

/** Like `interpret`, and reports the steps that the watcher wants. */
export function interpretWatched(
  frame: Frame,
  execution: Execution,
  table: InstructionTable,
  watcher: Watcher & { readonly steps: Uint8Array },
): void {
  const { code } = frame.program;
  const report = new StepReport(watcher, frame, execution);
  frame.charges = report;
  while (frame.programCounter < code.length) {
    // Before the instruction, which may have to wait itself.
    if (execution.workWatched()) return;
    const opcode = code[frame.programCounter]!;
    if (watcher.steps[opcode] === 1) report.open(opcode);
    if (runOne(frame, execution, table, opcode, report) === YIELD) return;
  }
  if (watcher.steps[STOP] === 1) {
    report.open(STOP);
    report.note(0);
  }
  execution.stop(frame, EMPTY);
}

function runOne(
  frame: Frame,
  execution: Execution,
  table: InstructionTable,
  opcode: number,
  report: StepReport,
): unknown {
  const cost = table.costs[opcode]!;
  const fault = faultOf(frame, table, opcode);
  if (fault !== undefined) {
    report.note(0, fault);
    const { STACK_UNDERFLOW, STACK_OVERFLOW } = EVMError.errorMessages;
    throw new EVMError(frame.height < table.min[opcode]! ? STACK_UNDERFLOW : STACK_OVERFLOW);
  }
  if (frame.gas < cost) {
    report.note(cost, OUT_OF_GAS);
    throw new EVMError(EVMError.errorMessages.OUT_OF_GAS);
  }
  frame.gas -= cost;
  if (table.isDynamic[opcode] === 1) {
    frame.programCounter++;
    return report.whenCharged(cost, () => table.instructions[opcode]!(frame, execution));
  }
  report.note(cost);
  if (opcode >= table.firstPush && opcode <= LAST_SIMPLE) return runSimple(frame, opcode);
  frame.programCounter++;
  return table.instructions[opcode]!(frame, execution);
}

function faultOf({ height }: Frame, { min, max }: InstructionTable, opcode: number): string | undefined {
  if (height >= min[opcode]! && height <= max[opcode]!) return undefined;
  return stackFault(opcode, height);
}

function runSimple(frame: Frame, opcode: number): void {
  const { stack, program, height } = frame;
  if (opcode < DUP1) {
    const size = opcode - PUSH0;
    frame.push(size === 0 ? 0 : program.constant(frame.programCounter, size));
    frame.programCounter += size;
  } else if (opcode < SWAP1) {
    frame.push(stack[height + DUP1 - 1 - opcode]!);
  } else {
    const other = height + SWAP1 - 2 - opcode;
    const word = stack[other]!;
    stack[other] = stack[height - 1]!;
    stack[height - 1] = word;
  }
  frame.programCounter++;
}
