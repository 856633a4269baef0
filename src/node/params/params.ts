import type { AddressBytes, Bytes, Hash } from "../../chain/encoding/bytes.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import { RPC, RpcError } from "../../jsonrpc/rpcError.ts";
import { dataFault, quantityFault } from "./hexText.ts";

/** Argument index and Go field name, such as `TransactionArgs.from`. */
export interface ParamPath {
  readonly argument: number;
  readonly field?: string;
}

export function invalidParams(message: string): RpcError {
  return new RpcError(RPC.invalidParams, message);
}

export function invalidArgument(argument: number, reason: string): RpcError {
  return invalidParams(`invalid argument ${argument}: ${reason}`);
}

export function expectAtMost(params: readonly unknown[], count: number): void {
  if (params.length > count) throw invalidParams(`too many arguments, want at most ${count}`);
}

/** Null counts as absent. */
export function isAbsent(params: readonly unknown[], argument: number): boolean {
  return params[argument] === undefined || params[argument] === null;
}

export function required(params: readonly unknown[], argument: number): unknown {
  if (params[argument] === undefined) throw invalidParams(`missing value for required argument ${argument}`);
  return params[argument];
}

export function hashParam(params: readonly unknown[], argument: number): Hash {
  return readHash(required(params, argument), { argument });
}

export function addressParam(params: readonly unknown[], argument: number): AddressBytes {
  return readAddress(required(params, argument), { argument });
}

export function dataParam(params: readonly unknown[], argument: number): Bytes {
  return readData(required(params, argument), { argument });
}

/** At most 64 bits. */
export function quantityParam(params: readonly unknown[], argument: number, type = "hexutil.Uint"): bigint {
  return readQuantity(required(params, argument), { argument }, type);
}

export function textParam(params: readonly unknown[], argument: number): string {
  return readText(required(params, argument), { argument });
}

export function flagParam(params: readonly unknown[], argument: number, absent: boolean): boolean {
  if (isAbsent(params, argument)) return absent;
  return readFlag(params[argument], { argument });
}

export function objectParam(params: readonly unknown[], argument: number, type: string): Wire {
  return readObject(required(params, argument), { argument }, type);
}

export function readHash(value: unknown, path: ParamPath): Hash {
  return readFixed(value, path, "common.Hash", 32);
}

export function readAddress(value: unknown, path: ParamPath): AddressBytes {
  return readFixed(value, path, "common.Address", 20);
}

const HEX_DIGITS = /^0x[0-9a-fA-F]*$/;

function readFixed(value: unknown, path: ParamPath, type: string, size: number): Bytes {
  // Fast path: state overrides have thousands of these.
  if (typeof value === "string" && value.length === 2 + size * 2 && HEX_DIGITS.test(value)) {
    return Buffer.from(value.slice(2), "hex");
  }
  const text = readHexText(value, path, type);
  const fault = dataFault(text);
  const digits = text.replace(/^0x/i, "");
  if (fault === undefined && digits.length !== size * 2) {
    const reason = `hex string has length ${digits.length}, want ${size * 2} for ${type}`;
    throw invalidArgument(path.argument, reason);
  }
  if (fault !== undefined) throw cannotUnmarshal(path, fault, type);
  return Buffer.from(digits, "hex");
}

export function readData(value: unknown, path: ParamPath): Bytes {
  const text = readHexText(value, path, "hexutil.Bytes");
  const fault = dataFault(text);
  if (fault !== undefined) throw cannotUnmarshal(path, fault, "hexutil.Bytes");
  return Buffer.from(text.slice(2), "hex");
}

/** At most 64 bits, or 256 for `*hexutil.Big`. */
export function readQuantity(value: unknown, path: ParamPath, type = "hexutil.Uint64"): bigint {
  const text = readHexText(value, path, type);
  const fault = quantityFault(text, type === "*hexutil.Big" ? 256 : 64);
  if (fault !== undefined) throw cannotUnmarshal(path, fault, type);
  return BigInt(text.toLowerCase());
}

export function readText(value: unknown, path: ParamPath): string {
  if (typeof value !== "string") throw cannotUnmarshal(path, goKind(value), "string");
  return value;
}

export function readFlag(value: unknown, path: ParamPath): boolean {
  if (typeof value !== "boolean") throw cannotUnmarshal(path, goKind(value), "bool");
  return value;
}

/** `type` is the Go type in error messages. */
export function readObject(value: unknown, path: ParamPath, type: string): Wire {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw cannotUnmarshal(path, goKind(value), type);
  }
  return value as Wire;
}

export function readArray(value: unknown, path: ParamPath, type: string): readonly unknown[] {
  if (!Array.isArray(value)) throw cannotUnmarshal(path, goKind(value), type);
  return value;
}

export function cannotUnmarshal({ argument, field }: ParamPath, what: string, type: string): RpcError {
  const into = field === undefined ? "Go value" : `Go struct field ${field}`;
  return invalidArgument(argument, `json: cannot unmarshal ${what} into ${into} of type ${type}`);
}

function readHexText(value: unknown, path: ParamPath, type: string): string {
  if (typeof value !== "string") throw cannotUnmarshal(path, "non-string", type);
  return value;
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (value === null) return "null";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** Also returns the number of bytes given. */
export function readStorageKey(text: string): { readonly key: Bytes; readonly given: number } {
  const digits = text.replace(/^0x/i, "");
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  if (even.length > 64) {
    throw invalidParams(`storage key too long (want at most 32 bytes): ${JSON.stringify(text)}`);
  }
  if (!/^[0-9a-fA-F]*$/.test(even)) throw invalidParams(`invalid hex in storage key: ${JSON.stringify(text)}`);
  return { key: Buffer.from(even.padStart(64, "0"), "hex"), given: even.length / 2 };
}
