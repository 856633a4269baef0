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

/** The parts of a parameter that its text needs. */
type Named = Omit<Parameter, "type"> & { readonly type: Pick<AbiType, "text"> };

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

/** Like `fullText`, with the names of members of tuples, so that `parseSignature` reads the same again. */
export function wholeText({ name, inputs }: Signature): string {
  return `${name}(${inputs.map((input) => parameterText({ ...input, type: { text: memberText(input.type) } })).join(", ")})`;
}

function memberText(type: AbiType): string {
  if (type.kind === "array") return `${memberText(type.item)}[${type.length ?? ""}]`;
  if (type.kind !== "tuple") return type.text;
  const { items, names = [] } = type;
  return `(${items.map((item, at) => `${memberText(item)}${names[at] ? ` ${names[at]}` : ""}`).join(", ")})`;
}

function parameterText({ name, type, indexed }: Named): string {
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
