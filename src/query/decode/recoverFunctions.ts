import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { contractInfo, initSync } from "evmole/no_tla";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";

/** A function as bytecode shows it: eight hex digits, the types of its arguments with commas between, and its mutability. */
export type RecoveredFunction = readonly [selector: string, types: string, mutability: string];

/** No contract that compiles has more; what has is made to cost time. */
export const MAX_FUNCTIONS = 500;

const machine = initSync({ module: readFileSync(fileURLToPath(import.meta.resolve("evmole/evmole_bg.wasm"))) });

/** Runs the code's dispatcher symbolically. Hostile code can make this take seconds: not for a thread that serves. */
export function recoverFunctions(code: Bytes): readonly RecoveredFunction[] {
  const { functions = [] } = contractInfo(toHex(code), { selectors: true, arguments: true, stateMutability: true });
  return functions
    .slice(0, MAX_FUNCTIONS)
    .map(({ selector, arguments: types = "", stateMutability = "nonpayable" }) => [selector, types, stateMutability]);
}

/** How much memory the analysis has taken, which it never gives back. */
export function usedMemory(): number {
  return machine.memory.buffer.byteLength;
}
