import type { Encodable } from "../../../chain/abi/encode.ts";
import { encodeParameters } from "../../../chain/abi/encode.ts";
import type { AbiFunction } from "../../../chain/abi/functions.ts";
import { parseValue } from "../../../chain/abi/parseValue.ts";
import { typesOf } from "../../../chain/abi/signature.ts";
import type { AbiType } from "../../../chain/abi/type.ts";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { fromHex } from "../../../chain/encoding/hex.ts";
import { ChainError } from "../../../chain/error.ts";
import type { Query } from "../params.ts";
import { safeText } from "./format.ts";

interface Refused {
  readonly error: string;
}

/** Calldata from form fields. */
export function readInput(called: AbiFunction, query: Query): { readonly input: Bytes } | Refused {
  const values: Encodable[] = [];
  for (const [at, { name, type }] of called.signature.inputs.entries()) {
    const value = attemptValue(type, textOf(query, `arg${at}`));
    if (value instanceof ChainError)
      return { error: `${name === "" ? `Argument ${at}` : safeText(name)}: ${value.message}.` };
    values.push(value);
  }
  const body = encodeParameters(typesOf(called.signature), values);
  return { input: Buffer.concat([fromHex(called.selector), body]) };
}

function attemptValue(type: AbiType, text: string): Encodable | ChainError {
  try {
    return parseValue(type, text);
  } catch (error) {
    if (error instanceof ChainError) return error;
    throw error;
  }
}

const DECIMALS = 18;

/** Amount in wei; 0 if absent. */
function readCoins(query: Query): { readonly value: bigint } | Refused {
  const text = textOf(query, "value").trim();
  if (text === "") return { value: 0n };
  const [, whole, fraction = ""] = /^(\d{1,50})(?:\.(\d{1,18}))?$/.exec(text) ?? [];
  if (whole === undefined) return { error: "The amount is a number of coins, such as 0.5." };
  return { value: BigInt(whole + fraction.padEnd(DECIMALS, "0")) };
}

export function textOf(query: Query, name: string): string {
  const given = query[name];
  return typeof given === "string" ? given : "";
}

/** A call to be signed by a wallet. */
interface EncodedCall {
  readonly input: Bytes;
  readonly value: bigint;
}

export function encodeCall(called: AbiFunction, query: Query): EncodedCall | Refused {
  const read = readInput(called, query);
  if ("error" in read) return read;
  const coins = called.mutability === "payable" ? readCoins(query) : { value: 0n };
  return "error" in coins ? coins : { input: read.input, value: coins.value };
}
