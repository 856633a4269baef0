import { RPC, RpcError } from "../../jsonrpc/rpcError.ts";
import { isObject, itemAt } from "../../std/values.ts";

type Fields = Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;

interface TypedData {
  readonly types: Record<string, { name: string; type: string }[]>;
  readonly primaryType: string;
  readonly domain: Record<string, unknown>;
  readonly message: Record<string, unknown>;
}

/** Bounds recursion on hostile JSON. */
const MAX_DEPTH = 64;

export function readTypedData(given: unknown): TypedData {
  const data = typeof given === "string" ? parse(given) : given;
  if (!isObject(data) || !isObject(data.types) || !isObject(data.message) || typeof data.primaryType !== "string") {
    throw invalid("expected an object with types, primaryType, domain and message");
  }
  const types = data.types as Fields;
  const domain = isObject(data.domain) ? data.domain : {};
  const [typedDomain, message] = [
    withNumbers(types, "EIP712Domain", domain, 0),
    withNumbers(types, data.primaryType, data.message, 0),
  ];
  return { types, primaryType: data.primaryType, domain: typedDomain, message } as unknown as TypedData;
}

function withNumbers(types: Fields, type: string, value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw invalid("nested too deep");
  const array = /^(.*)\[\d*\]$/.exec(type);
  if (array !== null) {
    if (!Array.isArray(value)) throw invalid(`expected an array for ${type}`);
    return value.map((item) => withNumbers(types, itemAt(array, 1), item, depth + 1));
  }
  if (/^u?int\d*$/.test(type)) return toInteger(value, type);
  const fields = Object.hasOwn(types, type) ? types[type] : undefined;
  if (!Array.isArray(fields)) return value;
  if (!isObject(value)) throw invalid(`expected an object for ${type}`);
  const present = fields.filter(({ name }) => value[name] !== undefined);
  return Object.fromEntries(
    present.map(({ name, type: inner }) => [name, withNumbers(types, String(inner), value[name], depth + 1)]),
  );
}

function toInteger(value: unknown, type: string): bigint {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === "string" && /^(-?\d{1,78}|0x[0-9a-f]{1,64})$/i.test(value)) return BigInt(value);
  throw invalid(`expected a number for ${type}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("expected JSON");
  }
}

function invalid(reason: string): RpcError {
  return new RpcError(RPC.invalidParams, `invalid typed data: ${reason}`);
}
