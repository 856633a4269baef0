import { flatString } from "../../std/bytes.ts";
import type { Bytes } from "../encoding/bytes.ts";
import type { Hex } from "../encoding/hex.ts";
import { toHex } from "../encoding/hex.ts";
import { keccak256 } from "../hashing/keccak.ts";
import type { AbiType } from "./type.ts";

export interface Parameter {
  /** Empty if unnamed. */
  readonly name: string;
  readonly type: AbiType;
  /** False for parameters of functions and errors. */
  readonly indexed: boolean;
}

export interface Signature {
  readonly name: string;
  readonly inputs: readonly Parameter[];
}

/** Hash preimage: `transfer(address,uint256)`. */
export function canonicalText({ name, inputs }: Signature): string {
  return `${name}(${inputs.map(({ type }) => type.text).join(",")})`;
}

interface Forms {
  readonly text: string;
  readonly types: readonly AbiType[];
}

/** A page decodes the same few signatures repeatedly. */
const forms = new WeakMap<Signature, Forms>();

/** For display: `transfer(address to, uint256 amount)`. */
export function fullText(signature: Signature): string {
  return formsOf(signature).text;
}

export function typesOf(signature: Signature): readonly AbiType[] {
  return formsOf(signature).types;
}

function formsOf(signature: Signature): Forms {
  const known = forms.get(signature);
  if (known !== undefined) return known;
  const { name, inputs } = signature;
  const text = flatString(`${name}(${inputs.map(parameterText).join(", ")})`);
  const made = { text, types: inputs.map(({ type }) => type) };
  forms.set(signature, made);
  return made;
}

function parameterText({ name, type, indexed }: Parameter): string {
  return `${type.text}${indexed ? " indexed" : ""}${name === "" ? "" : ` ${name}`}`;
}

/** First four bytes of the signature hash. */
export function selectorOf(signature: Signature): Hex {
  return toHex(hashOf(signature).subarray(0, 4));
}

/** Signature hash: topic0 of an event's logs. */
export function topicOf(signature: Signature): Hex {
  return toHex(hashOf(signature));
}

function hashOf(signature: Signature): Bytes {
  return keccak256(Buffer.from(canonicalText(signature)));
}
