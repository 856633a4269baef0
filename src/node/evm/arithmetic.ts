import { MAX_UINT256 } from "../../chain/encoding/uint.ts";
import type { Word } from "./word.ts";
import { bigintOf, wordOf } from "./word.ts";

const MAX = Number.MAX_SAFE_INTEGER;

const BITS = 2 ** 31;

export function add(a: Word, b: Word): Word {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    return sum <= MAX ? sum : BigInt(a) + BigInt(b);
  }
  return wordOf(BigInt.asUintN(256, bigintOf(a) + bigintOf(b)));
}

export function subtract(a: Word, b: Word): Word {
  if (typeof a === "number" && typeof b === "number" && a >= b) return a - b;
  return wordOf(BigInt.asUintN(256, bigintOf(a) - bigintOf(b)));
}

export function multiply(a: Word, b: Word): Word {
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    return product <= MAX ? product : BigInt(a) * BigInt(b);
  }
  return wordOf(BigInt.asUintN(256, bigintOf(a) * bigintOf(b)));
}

export function divide(a: Word, b: Word): Word {
  if (b === 0) return 0;
  if (typeof a === "number" && typeof b === "number") return (a - (a % b)) / b;
  return wordOf(bigintOf(a) / bigintOf(b));
}

export function modulo(a: Word, b: Word): Word {
  if (b === 0) return 0;
  if (typeof a === "number" && typeof b === "number") return a % b;
  return wordOf(bigintOf(a) % bigintOf(b));
}

export function divideSigned(a: Word, b: Word): Word {
  if (typeof a === "number" && typeof b === "number") return divide(a, b);
  return b === 0 ? 0 : unsigned(signed(a) / signed(b));
}

export function moduloSigned(a: Word, b: Word): Word {
  if (typeof a === "number" && typeof b === "number") return modulo(a, b);
  return b === 0 ? 0 : unsigned(signed(a) % signed(b));
}

export function addModulo(a: Word, b: Word, n: Word): Word {
  return n === 0 ? 0 : wordOf((bigintOf(a) + bigintOf(b)) % bigintOf(n));
}

export function multiplyModulo(a: Word, b: Word, n: Word): Word {
  return n === 0 ? 0 : wordOf((bigintOf(a) * bigintOf(b)) % bigintOf(n));
}

export function power(base: Word, exponent: Word): Word {
  let result = 1n;
  let square = bigintOf(base);
  for (let rest = bigintOf(exponent); rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = BigInt.asUintN(256, result * square);
    square = BigInt.asUintN(256, square * square);
  }
  return wordOf(result);
}

/** SIGNEXTEND; the index counts from the lowest byte. */
export function extendSign(index: Word, value: Word): Word {
  if (typeof index !== "number" || index > 30) return value;
  return unsigned(BigInt.asIntN(8 * (index + 1), bigintOf(value)));
}

export function isLess(a: Word, b: Word): Word {
  return a < b ? 1 : 0;
}

export function isLessSigned(a: Word, b: Word): Word {
  if (typeof a === "number" && typeof b === "number") return a < b ? 1 : 0;
  return signed(a) < signed(b) ? 1 : 0;
}

export function and(a: Word, b: Word): Word {
  if (typeof a === "number" && typeof b === "number" && a < BITS && b < BITS) return a & b;
  return wordOf(bigintOf(a) & bigintOf(b));
}

export function or(a: Word, b: Word): Word {
  if (typeof a === "number" && typeof b === "number" && a < BITS && b < BITS) return a | b;
  return wordOf(bigintOf(a) | bigintOf(b));
}

export function xor(a: Word, b: Word): Word {
  if (typeof a === "number" && typeof b === "number" && a < BITS && b < BITS) return a ^ b;
  return wordOf(bigintOf(a) ^ bigintOf(b));
}

export function not(a: Word): Word {
  return wordOf(bigintOf(a) ^ MAX_UINT256);
}

/** BYTE; the index counts from the highest byte. */
export function byteAt(index: Word, value: Word): Word {
  if (typeof index !== "number" || index > 31) return 0;
  return Number((bigintOf(value) >> BigInt(8 * (31 - index))) & 0xffn);
}

export function shiftLeft(bits: Word, value: Word): Word {
  if (typeof bits !== "number" || bits > 255) return 0;
  if (typeof value === "number" && bits < 22 && value < BITS) return value * 2 ** bits;
  return wordOf(BigInt.asUintN(256, bigintOf(value) << BigInt(bits)));
}

export function shiftRight(bits: Word, value: Word): Word {
  if (typeof bits !== "number" || bits > 255) return 0;
  if (typeof value === "number") return Math.floor(value / 2 ** bits);
  return wordOf(value >> BigInt(bits));
}

export function shiftRightSigned(bits: Word, value: Word): Word {
  if (typeof value === "number") return shiftRight(bits, value);
  return unsigned(signed(value) >> BigInt(typeof bits === "number" && bits < 256 ? bits : 256));
}

/** CLZ. */
export function leadingZeros(value: Word): Word {
  return value === 0 ? 256 : 256 - value.toString(2).length;
}

export function byteLength(word: Word): number {
  return word === 0 ? 0 : Math.ceil(word.toString(16).length / 2);
}

function signed(word: Word): bigint {
  return BigInt.asIntN(256, bigintOf(word));
}

function unsigned(value: bigint): Word {
  return wordOf(BigInt.asUintN(256, value));
}
