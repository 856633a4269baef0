import type { Bytes } from "../encoding/bytes.ts";
import type { Hex } from "../encoding/hex.ts";
import { toHex } from "../encoding/hex.ts";
import { panicText } from "./panic.ts";
import type { Lookup } from "./parseAbi.ts";
import { parseSignature } from "./parseSignature.ts";
import type { Candidates, Decoded } from "./resolve.ts";
import { decodeError } from "./resolve.ts";
import type { Signature } from "./signature.ts";
import { selectorOf } from "./signature.ts";
import { textOf } from "./value.ts";

export interface DecodedRevert extends Decoded {
  /** Message of `Error(string)` (hex if not UTF-8) or meaning of a `Panic(uint256)` code; null for custom errors. */
  readonly text: string | null;
}

/** Empty, a decoded error, or undecodable bytes. */
export type RevertReason = null | { readonly raw: Bytes } | DecodedRevert;

const ERROR = parseSignature("Error(string reason)");
const PANIC = parseSignature("Panic(uint256 code)");
const NONE: Lookup = { get: () => undefined };

/** Solidity's built-in errors, which no ABI declares. */
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

export function decodeRevert(data: Bytes, candidates: readonly Candidates[]): RevertReason {
  if (data.length === 0) return null;
  const decoded = decodeError(isLongEmptyReason(data) ? data.subarray(0, 68) : data, [BUILT_IN, ...candidates]);
  return decoded === undefined ? { raw: data } : { ...decoded, text: reasonOf(decoded) };
}

/** Solidity before 0.8 pads an empty reason to a word. */
function isLongEmptyReason(data: Bytes): boolean {
  return (
    data.length === 100 &&
    toHex(data.subarray(0, 4)) === selectorOf(ERROR) &&
    data.subarray(36).every((byte) => byte === 0)
  );
}

function reasonOf({ signature, values: [value] }: Decoded): string | null {
  if (signature === ERROR && value instanceof Uint8Array) return textOf(value) ?? toHex(value);
  return signature === PANIC && typeof value === "bigint" ? panicText(value) : null;
}
