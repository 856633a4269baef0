import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { keccak256 } from "../../../chain/hashing/keccak.ts";
import type { Execution } from "../execution.ts";
import type { Frame } from "../frame.ts";
import { outOfGas } from "../frame.ts";
import type { Word } from "../word.ts";
import { bigintOf, wordFromBytes } from "../word.ts";
import type { Instructions } from "./instruction.ts";
import { YIELD } from "./instruction.ts";

export const DATA: Instructions = {
  MLOAD(frame) {
    const offset = frame.peek(0);
    frame.reach(offset, 32, 0);
    frame.replace(frame.memory.read(offset as number));
  },
  MSTORE(frame) {
    const [offset, word] = [frame.peek(0), frame.peek(1)];
    frame.reach(offset, 32, 0);
    frame.height -= 2;
    frame.memory.write(offset as number, word);
  },
  MSTORE8(frame) {
    const [offset, word] = [frame.peek(0), frame.peek(1)];
    frame.reach(offset, 1, 0);
    frame.height -= 2;
    frame.memory.writeByte(offset as number, Number(BigInt.asUintN(8, bigintOf(word))));
  },
  MSIZE(frame) {
    frame.push(frame.memory.words * 32);
  },
  MCOPY(frame, execution) {
    const [target, source, length] = [frame.peek(0), frame.peek(1), frame.peek(2)];
    const { memory } = frame;
    const growth = Math.max(memory.growthCost(target, length), memory.growthCost(source, length));
    frame.charge(growth + copyCost(execution, length));
    memory.grow(target, length);
    memory.grow(source, length);
    frame.height -= 3;
    memory.move(target as number, source as number, length as number);
    return turnAfter(execution, length);
  },
  KECCAK256(frame, execution) {
    const [offset, length] = [frame.peek(0), frame.peek(1)];
    frame.reach(offset, length, execution.around.fork.gas.keccakWord * wordsOf(length));
    frame.height--;
    frame.replace(wordFromBytes(keccak256(frame.memory.view(offset, length))));
    return turnAfter(execution, length);
  },
  CALLDATALOAD(frame) {
    frame.replace(wordAt(frame.call.data, frame.peek(0)));
  },
  CALLDATASIZE(frame) {
    frame.push(frame.call.data.length);
  },
  CALLDATACOPY(frame, execution) {
    return copyFrom(frame, execution, frame.call.data);
  },
  CODESIZE(frame) {
    frame.push(frame.program.code.length);
  },
  CODECOPY(frame, execution) {
    return copyFrom(frame, execution, frame.program.code);
  },
  RETURNDATASIZE(frame) {
    frame.push(frame.returnData.length);
  },
  RETURNDATACOPY(frame, execution) {
    const [from, length] = [bigintOf(frame.peek(1)), bigintOf(frame.peek(2))];
    if (from + length > frame.returnData.length) {
      frame.programCounter--;
      throw outOfGas();
    }
    return copyFrom(frame, execution, frame.returnData);
  },
};

/** Stack: destination, source, length. */
function copyFrom(frame: Frame, execution: Execution, source: Bytes): unknown {
  const [target, from, length] = [frame.peek(0), frame.peek(1), frame.peek(2)];
  frame.reach(target, length, copyCost(execution, length));
  frame.height -= 3;
  frame.memory.place(target as number, source, from, length as number);
  return turnAfter(execution, length);
}

export function copyCost({ around }: Execution, length: Word): number {
  return around.fork.gas.copyWord * wordsOf(length);
}

/** Length in words. No gas pays for more than a number holds. */
export function wordsOf(length: Word): number {
  return typeof length === "number" ? Math.ceil(length / 32) : Number.POSITIVE_INFINITY;
}

/** Counts copied or hashed bytes as work. */
export function turnAfter(execution: Execution, length: Word): unknown {
  return execution.work(4 + (length as number) / 16) ? YIELD : undefined;
}

/** Zero-padded past the end. */
function wordAt(bytes: Bytes, place: Word): Word {
  if (typeof place !== "number" || place >= bytes.length) return 0;
  const part = bytes.subarray(place, place + 32);
  if (part.length === 32) return wordFromBytes(part);
  const padded = new Uint8Array(32);
  padded.set(part);
  return wordFromBytes(padded);
}
