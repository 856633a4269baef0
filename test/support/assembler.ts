import type { Hex } from "../../src/chain/encoding/hex.ts";
import { opcodeName } from "../../src/node/evm/opcodes.ts";

const OPCODES = new Map(Array.from({ length: 256 }, (_, opcode) => [opcodeName(opcode), opcode]));

/** The code of some instructions: names as they are, anything else as hex. */
export function assemble(text: string): Hex {
  const bytes = text
    .trim()
    .split(/\s+/)
    .map((word) => OPCODES.get(word)?.toString(16).padStart(2, "0") ?? word);
  return `0x${bytes.join("")}`;
}

/** Init code that deploys a code of less than 256 bytes. */
export function deploying(code: Hex): Hex {
  const size = ((code.length - 2) / 2).toString(16).padStart(2, "0");
  const start = assemble(`PUSH1 ${size} DUP1 PUSH1 0b PUSH1 00 CODECOPY PUSH1 00 RETURN`);
  return `${start}${code.slice(2)}`;
}

/** Puts a number on the stack as 32 bytes. */
export function word(value: Hex | bigint | number): string {
  return `PUSH32 ${BigInt(value).toString(16).padStart(64, "0")}`;
}
