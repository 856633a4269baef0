import { isObject } from "../../std/isObject.ts";
import type { Hex } from "../encoding/hex.ts";
import { ChainError } from "../error.ts";
import { readAbi } from "./parseAbi.ts";
import type { Parameter, Signature } from "./signature.ts";

/** Whether a function reads or changes the state, and whether it takes coins. */
export type Mutability = "pure" | "view" | "nonpayable" | "payable";

/** A function that can be called. */
export interface AbiFunction {
  readonly selector: Hex;
  readonly signature: Signature;
  /** What it returns; undefined where that is not known or cannot be decoded. */
  readonly outputs: readonly Parameter[] | undefined;
  readonly mutability: Mutability;
}

/** The functions of an ABI as compilers write it, in its order. Those that cannot be called from outside are left out. */
export function readFunctions(abi: readonly unknown[]): readonly AbiFunction[] {
  const bySelector = new Map<Hex, AbiFunction>();
  for (const entry of abi) {
    if (!isObject(entry) || (entry.type ?? "function") !== "function") continue;
    for (const [selector, [signature]] of readAbi([entry]).functions) {
      if (signature === undefined || bySelector.has(selector)) continue;
      const { outputs, mutability } = { outputs: readOutputs(entry.outputs), mutability: readMutability(entry) };
      bySelector.set(selector, { selector, signature, outputs, mutability });
    }
  }
  return [...bySelector.values()];
}

/** What cannot be read is not known, and the function can be called all the same. */
function readOutputs(outputs: unknown): readonly Parameter[] | undefined {
  try {
    return readAbi([{ type: "constructor", inputs: outputs }]).constructorInputs;
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

/** Compilers before 0.4.16 say `constant` and `payable`. */
function readMutability({ stateMutability, constant, payable }: Readonly<Record<string, unknown>>): Mutability {
  if (isMutability(stateMutability)) return stateMutability;
  if (constant === true) return "view";
  return payable === true ? "payable" : "nonpayable";
}

export function isMutability(word: unknown): word is Mutability {
  return word === "pure" || word === "view" || word === "nonpayable" || word === "payable";
}

/** Whether calling it changes nothing. */
export function isReading({ mutability }: AbiFunction): boolean {
  return mutability === "view" || mutability === "pure";
}
