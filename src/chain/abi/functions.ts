import { isObject } from "../../std/values.ts";
import type { Hex } from "../encoding/hex.ts";
import { ChainError } from "../error.ts";
import { readAbi } from "./parseAbi.ts";
import type { Parameter, Signature } from "./signature.ts";

/** Solidity's `stateMutability`. */
type Mutability = "pure" | "view" | "nonpayable" | "payable";

export interface AbiFunction {
  readonly selector: Hex;
  readonly signature: Signature;
  /** Undefined if unknown or not decodable. */
  readonly outputs: readonly Parameter[] | undefined;
  readonly mutability: Mutability;
}

/** Externally callable functions in declaration order. */
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

/** A function with unreadable outputs is still callable. */
function readOutputs(outputs: unknown): readonly Parameter[] | undefined {
  try {
    return readAbi([{ type: "constructor", inputs: outputs }]).constructorInputs;
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

/** Compilers before 0.4.16 emit `constant` and `payable`. */
function readMutability({ stateMutability, constant, payable }: Readonly<Record<string, unknown>>): Mutability {
  if (isMutability(stateMutability)) return stateMutability;
  if (constant === true) return "view";
  return payable === true ? "payable" : "nonpayable";
}

export function isMutability(word: unknown): word is Mutability {
  return word === "pure" || word === "view" || word === "nonpayable" || word === "payable";
}

export function isReading({ mutability }: AbiFunction): boolean {
  return mutability === "view" || mutability === "pure";
}
