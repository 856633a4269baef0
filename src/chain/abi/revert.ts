import type { Bytes } from "../encoding/bytes.ts";
import type { Hex } from "../encoding/hex.ts";
import { toHex } from "../encoding/hex.ts";
import { uintToBigInt } from "../encoding/uint.ts";
import { panicText } from "./panic.ts";
import type { Lookup } from "./parseAbi.ts";
import { parseSignature } from "./parseSignature.ts";
import type { DecodedInput } from "./present.ts";
import type { Candidates, Decoded } from "./resolve.ts";
import { decodeError } from "./resolve.ts";
import type { Signature } from "./signature.ts";
import { selectorOf } from "./signature.ts";

export interface DecodedRevert extends DecodedInput {
  /** What `Error(string)` says, or what the code of `Panic(uint256)` means; null for a contract's own errors. */
  readonly text: string | null;
}

const ERROR = parseSignature("Error(string reason)");
const PANIC = parseSignature("Panic(uint256 code)");
const NONE: Lookup = { get: () => undefined };

/** Those of the language itself, which no contract's ABI declares. */
const BUILT_IN: Candidates = {
  origin: "abi",
  signatures: {
    functions: NONE,
    events: NONE,
    errors: new Map<Hex, readonly Signature[]>([
      [selectorOf(ERROR), [ERROR]],
      [selectorOf(PANIC), [PANIC]],
    ]),
  },
};

/** What a transaction reverted with: null for nothing, and the bytes as they are where no error is known for them. */
export function decodeRevert(
  data: Bytes,
  candidates: readonly Candidates[],
): null | { readonly raw: Hex } | Decoded<DecodedRevert> {
  if (data.length === 0) return null;
  const decoded = decodeError(isLongEmptyReason(data) ? data.subarray(0, 68) : data, [BUILT_IN, ...candidates]);
  if (decoded === undefined) return { raw: toHex(data) };
  return { ...decoded, input: { ...decoded.input, text: textOf(data, decoded.input) } };
}

/** Solidity before 0.8 gives every reason a word, also one without text. */
function isLongEmptyReason(data: Bytes): boolean {
  return (
    data.length === 100 &&
    toHex(data.subarray(0, 4)) === selectorOf(ERROR) &&
    data.subarray(36).every((byte) => byte === 0)
  );
}

function textOf(data: Bytes, { method_call, parameters }: DecodedInput): string | null {
  if (method_call === "Error(string reason)") return parameters[0]!.value as string;
  return method_call === "Panic(uint256 code)" ? panicText(uintToBigInt(data.subarray(4))) : null;
}
