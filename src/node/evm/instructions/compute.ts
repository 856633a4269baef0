import {
  add,
  addModulo,
  and,
  byteAt,
  byteLength,
  divide,
  divideSigned,
  extendSign,
  isLess,
  isLessSigned,
  leadingZeros,
  modulo,
  moduloSigned,
  multiply,
  multiplyModulo,
  not,
  or,
  power,
  shiftLeft,
  shiftRight,
  shiftRightSigned,
  subtract,
  xor,
} from "../arithmetic.ts";
import type { Word } from "../word.ts";
import type { Instruction, Instructions } from "./instruction.ts";

/** Frequent instructions are written out, so that each is compiled separately. */
export const COMPUTE: Instructions = {
  ADD(frame) {
    const { stack } = frame;
    const top = --frame.height;
    stack[top - 1] = add(stack[top]!, stack[top - 1]!);
  },
  SUB(frame) {
    const { stack } = frame;
    const top = --frame.height;
    stack[top - 1] = subtract(stack[top]!, stack[top - 1]!);
  },
  MUL(frame) {
    const { stack } = frame;
    const top = --frame.height;
    stack[top - 1] = multiply(stack[top]!, stack[top - 1]!);
  },
  LT(frame) {
    const { stack } = frame;
    const top = --frame.height;
    stack[top - 1] = isLess(stack[top]!, stack[top - 1]!);
  },
  GT(frame) {
    const { stack } = frame;
    const top = --frame.height;
    stack[top - 1] = isLess(stack[top - 1]!, stack[top]!);
  },
  EQ(frame) {
    const { stack } = frame;
    const top = --frame.height;
    stack[top - 1] = stack[top] === stack[top - 1] ? 1 : 0;
  },
  ISZERO(frame) {
    frame.replace(frame.peek(0) === 0 ? 1 : 0);
  },
  AND(frame) {
    const { stack } = frame;
    const top = --frame.height;
    stack[top - 1] = and(stack[top]!, stack[top - 1]!);
  },
  SHL(frame) {
    const { stack } = frame;
    const top = --frame.height;
    stack[top - 1] = shiftLeft(stack[top]!, stack[top - 1]!);
  },
  SHR(frame) {
    const { stack } = frame;
    const top = --frame.height;
    stack[top - 1] = shiftRight(stack[top]!, stack[top - 1]!);
  },
  DIV: ofTwo(divide),
  SDIV: ofTwo(divideSigned),
  MOD: ofTwo(modulo),
  SMOD: ofTwo(moduloSigned),
  ADDMOD: ofThree(addModulo),
  MULMOD: ofThree(multiplyModulo),
  EXP(frame, { around }) {
    frame.charge(around.fork.gas.expByte * byteLength(frame.peek(1)));
    const result = power(frame.peek(0), frame.peek(1));
    frame.height--;
    frame.replace(result);
  },
  SIGNEXTEND: ofTwo(extendSign),
  SLT: ofTwo(isLessSigned),
  SGT: ofTwo((a, b) => isLessSigned(b, a)),
  OR: ofTwo(or),
  XOR: ofTwo(xor),
  NOT(frame) {
    frame.replace(not(frame.peek(0)));
  },
  BYTE: ofTwo(byteAt),
  SAR: ofTwo(shiftRightSigned),
  CLZ(frame) {
    frame.replace(leadingZeros(frame.peek(0)));
  },
};

function ofTwo(compute: (a: Word, b: Word) => Word): Instruction {
  return (frame) => {
    const { stack } = frame;
    const top = --frame.height;
    stack[top - 1] = compute(stack[top]!, stack[top - 1]!);
  };
}

function ofThree(compute: (a: Word, b: Word, c: Word) => Word): Instruction {
  return (frame) => {
    const { stack } = frame;
    const top = frame.height - 2;
    frame.height = top;
    stack[top - 1] = compute(stack[top + 1]!, stack[top]!, stack[top - 1]!);
  };
}
