import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { contractInfo, initSync } from "evmole/no_tla";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";

/** Selector digits, comma-separated types, mutability. */
export type RecoveredFunction = readonly [selector: string, types: string, mutability: string];

/** More than any compiled contract has. */
export const MAX_FUNCTIONS = 500;

const machine = initSync({ module: readFileSync(fileURLToPath(import.meta.resolve("evmole/evmole_bg.wasm"))) });

/** Symbolic execution of the dispatcher. Hostile code can take seconds, so never on a serving thread. */
export function recoverFunctions(code: Bytes): readonly RecoveredFunction[] {
  const { functions = [] } = contractInfo(toHex(code), { selectors: true, arguments: true, stateMutability: true });
  return functions
    .slice(0, MAX_FUNCTIONS)
    .map(({ selector, arguments: types = "", stateMutability = "nonpayable" }) => [selector, types, stateMutability]);
}

/** The analysis never frees memory. */
export function usedMemory(): number {
  return machine.memory.buffer.byteLength;
}
