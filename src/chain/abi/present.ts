import { checksumAddress } from "../encoding/checksum.ts";
import { toHex } from "../encoding/hex.ts";
import { HashedValue } from "./event.ts";
import type { Signature } from "./signature.ts";
import { fullText } from "./signature.ts";
import type { AbiType } from "./type.ts";
import type { AbiValue } from "./value.ts";

export type PresentedValue = string | readonly PresentedValue[];

export interface PresentedParameter {
  readonly name: string;
  readonly type: string;
  readonly value: PresentedValue;
}

export interface DecodedInput {
  /** Eight hex digits, without 0x. */
  readonly method_id: string;
  readonly method_call: string;
  readonly parameters: readonly PresentedParameter[];
}

export interface DecodedLogInput extends DecodedInput {
  readonly parameters: readonly (PresentedParameter & { readonly indexed: boolean })[];
}

/** A call, or an error, as explorers show it. */
export function presentCall(
  methodId: string,
  signature: Signature,
  values: readonly (AbiValue | HashedValue)[],
): DecodedInput {
  const parameters = signature.inputs.map(({ name, type }, i) => ({
    name,
    type: type.text,
    value: presentValue(type, values[i]!),
  }));
  return { method_id: methodId, method_call: fullText(signature), parameters };
}

/** A log as explorers show it: as a call, but each parameter says whether it is indexed. */
export function presentLog(
  methodId: string,
  event: Signature,
  values: readonly (AbiValue | HashedValue)[],
): DecodedLogInput {
  const { parameters, ...rest } = presentCall(methodId, event, values);
  return { ...rest, parameters: parameters.map((each, i) => ({ ...each, indexed: event.inputs[i]!.indexed })) };
}

/** Integers in decimal, addresses with their checksum, bytes and strings that are not UTF-8 as hex. */
export function presentValue(type: AbiType, value: AbiValue | HashedValue): PresentedValue {
  if (value instanceof HashedValue) return toHex(value.hash);
  if (value instanceof Uint8Array) {
    if (type.kind === "address") return checksumAddress(value);
    return type.kind === "string" ? presentText(value) : toHex(value);
  }
  if (typeof value !== "object") return value.toString();
  return value.map((item, i) => presentValue(itemType(type, i), item));
}

function itemType(type: AbiType, index: number): AbiType {
  if (type.kind === "array") return type.item;
  return type.kind === "tuple" ? type.items[index]! : type;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function presentText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return toHex(bytes);
  }
}
