import type { Hex } from "../encoding/hex.ts";
import { toHex } from "../encoding/hex.ts";
import type { Encodable } from "./encode.ts";
import { encodeParameters } from "./encode.ts";
import { parseSignature, parseTypes } from "./parseSignature.ts";
import { selectorOf, typesOf } from "./signature.ts";
import type { AbiType } from "./type.ts";

interface Callable {
  readonly selector: Hex;
  readonly types: readonly AbiType[];
}

/** Unbounded: the program has a few dozen literal signatures. */
const callables = new Map<string, Callable>();

export function encodeCall(signature: string, ...values: readonly Encodable[]): Hex {
  const { selector, types } = callableOf(signature);
  return `${selector}${toHex(encodeParameters(types, values)).slice(2)}`;
}

/** Encodes values without a selector, for constructors and hashed keys. */
export function encodeValues(types: readonly string[], ...values: readonly Encodable[]): Hex {
  return toHex(encodeParameters(parseTypes(types.join(",")), values));
}

function callableOf(text: string): Callable {
  const known = callables.get(text);
  if (known !== undefined) return known;
  const signature = parseSignature(text);
  const callable = { selector: selectorOf(signature), types: typesOf(signature) };
  callables.set(text, callable);
  return callable;
}
