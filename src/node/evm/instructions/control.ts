import { EVMError } from "@ethereumjs/evm";
import { EMPTY } from "../../../chain/encoding/bytes.ts";
import type { Frame } from "../frame.ts";
import type { Word } from "../word.ts";
import type { Instructions } from "./instruction.ts";
import { YIELD } from "./instruction.ts";

export const CONTROL: Instructions = {
  STOP(frame, execution) {
    execution.stop(frame, EMPTY);
    return YIELD;
  },
  JUMP(frame) {
    jump(frame, frame.stack[--frame.height]!);
  },
  JUMPI(frame) {
    const { stack } = frame;
    const top = frame.height - 2;
    frame.height = top;
    if (stack[top] !== 0) jump(frame, stack[top + 1]!);
  },
  // Every loop passes a JUMPDEST.
  JUMPDEST(_, execution) {
    return execution.work(8) ? YIELD : undefined;
  },
  PC(frame) {
    frame.push(frame.programCounter - 1);
  },
  GAS(frame, execution) {
    execution.expectExactGas();
    frame.push(frame.gas);
  },
  POP(frame) {
    frame.height--;
  },
  RETURN(frame, execution) {
    const [offset, length] = [frame.peek(0), frame.peek(1)];
    frame.reach(offset, length, 0);
    frame.height -= 2;
    execution.stop(frame, frame.memory.copy(offset, length));
    return YIELD;
  },
  REVERT(frame, execution) {
    const [offset, length] = [frame.peek(0), frame.peek(1)];
    frame.reach(offset, length, 0);
    frame.height -= 2;
    const error = new EVMError(EVMError.errorMessages.REVERT);
    execution.end(frame, frame.memory.copy(offset, length), error);
    return YIELD;
  },
};

function jump(frame: Frame, destination: Word): void {
  if (!frame.program.isDestination(destination)) throw new EVMError(EVMError.errorMessages.INVALID_JUMP);
  frame.programCounter = destination;
}
