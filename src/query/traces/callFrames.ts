import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { isAddress } from "../../chain/encoding/parse.ts";
import type { Wire } from "../../chain/encoding/wire.ts";

/** A call of a trace as the node describes it. */
export interface CallFrame {
  /** `call`, `staticcall`, `create` and so on. */
  readonly kind: string;
  readonly from: Bytes | undefined;
  readonly to: Bytes | undefined;
  readonly value: bigint;
  /** Empty for creations and self-destructs. */
  readonly input: Bytes;
  /** Undefined if it failed. */
  readonly output: Bytes | undefined;
  readonly gasUsed: number;
  readonly error: string | undefined;
  readonly depth: number;
}

/** Node data is untrusted: missing fields are empty. */
export function readFrame(wire: Wire): CallFrame {
  const [action, result] = [asObject(wire.action), asObject(wire.result)];
  const error = asText(wire.error) || undefined;
  return {
    kind: asText(action.callType) || asText(wire.type),
    from: asAddress(action.from ?? action.address),
    to: asAddress(action.to ?? result.address ?? action.refundAddress),
    value: asQuantity(action.value ?? action.balance) ?? 0n,
    input: asBytes(action.input),
    output: error === undefined && result.output !== undefined ? asBytes(result.output) : undefined,
    gasUsed: Number(asQuantity(result.gasUsed) ?? 0n),
    error,
    depth: Array.isArray(wire.traceAddress) ? Math.min(wire.traceAddress.length, MAX_DEPTH) : 0,
  };
}

/** EVM calls nest up to 1,024 levels; browsers do not. */
const MAX_DEPTH = 100;

function asObject(value: unknown): Wire {
  return typeof value === "object" && value !== null ? (value as Wire) : {};
}

const asText = (value: unknown): string => (typeof value === "string" ? value : "");

const asAddress = (value: unknown): Bytes | undefined => {
  const text = asText(value);
  return isAddress(text) ? fromHex(text) : undefined;
};

const asBytes = (value: unknown): Bytes => {
  const text = asText(value);
  return /^0x(?:[0-9a-f]{2})*$/i.test(text) ? fromHex(text as `0x${string}`) : EMPTY;
};

function asQuantity(value: unknown): bigint | undefined {
  return typeof value === "string" && /^0x[0-9a-f]{1,64}$/i.test(value) ? BigInt(value) : undefined;
}
