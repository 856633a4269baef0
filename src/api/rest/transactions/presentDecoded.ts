import type { EventValue } from "../../../chain/abi/event.ts";
import { HashedValue } from "../../../chain/abi/event.ts";
import type { Decoded } from "../../../chain/abi/resolve.ts";
import type { RevertReason } from "../../../chain/abi/revert.ts";
import { fullText } from "../../../chain/abi/signature.ts";
import type { AbiType } from "../../../chain/abi/type.ts";
import { textOf } from "../../../chain/abi/value.ts";
import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { toHex } from "../../../chain/encoding/hex.ts";

export type PresentedValue = string | readonly PresentedValue[];

/** Includes trailing calldata. */
export function presentCall(decoded: Decoded) {
  const { trailing } = decoded;
  return {
    ...presentSignature(decoded),
    parameters: presentParameters(decoded),
    ...presentOrigin(decoded),
    ...(trailing && { trailing_data: toHex(trailing) }),
  };
}

/** Like a call, with `indexed` per parameter. */
export function presentEvent(decoded: Decoded) {
  const { inputs } = decoded.signature;
  const parameters = presentParameters(decoded).map((each, i) => ({ ...each, indexed: inputs[i]!.indexed }));
  return { ...presentSignature(decoded), parameters, ...presentOrigin(decoded) };
}

export function presentRevert(reason: RevertReason) {
  if (reason === null) return null;
  if ("raw" in reason) return { raw: toHex(reason.raw) };
  const parameters = presentParameters(reason);
  return { ...presentSignature(reason), parameters, text: reason.text, ...presentOrigin(reason) };
}

function presentSignature({ id, signature }: Decoded) {
  return { method_id: id.slice(2, 10), method_call: fullText(signature) };
}

function presentParameters({ signature, values }: Decoded) {
  return signature.inputs.map(({ name, type }, i) => ({
    name,
    type: type.text,
    value: presentValue(type, values[i]!),
  }));
}

function presentOrigin({ origin, isGuess }: Decoded) {
  return { origin, is_guess: isGuess };
}

/** Decimal integers, checksummed addresses, hex for bytes and non-UTF-8 strings. */
export function presentValue(type: AbiType, value: EventValue): PresentedValue {
  if (value instanceof HashedValue) return toHex(value.hash);
  if (value instanceof Uint8Array) {
    if (type.kind === "address") return checksumAddress(value);
    return (type.kind === "string" ? textOf(value) : undefined) ?? toHex(value);
  }
  if (typeof value !== "object") return value.toString();
  return value.map((item, i) => presentValue(itemType(type, i), item));
}

function itemType(type: AbiType, index: number): AbiType {
  if (type.kind === "array") return type.item;
  return type.kind === "tuple" ? type.items[index]! : type;
}
