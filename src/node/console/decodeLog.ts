import { format } from "node:util";
import { decodeLeading } from "../../chain/abi/decode.ts";
import type { AbiType } from "../../chain/abi/type.ts";
import { elementaryType } from "../../chain/abi/type.ts";
import type { AbiValue } from "../../chain/abi/value.ts";
import { textOf } from "../../chain/abi/value.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { checksumAddress } from "../../chain/encoding/checksum.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import { defined } from "../../std/values.ts";

const MAX_VALUES = 4;
const TYPES = ["uint256", "string", "bool", "address"];

/** Parameter types by selector; built on first use. */
let functions: ReadonlyMap<string, readonly AbiType[]> | undefined;

/** Undefined for an unknown selector. */
export function decodeLog(data: Bytes): string | undefined {
  functions ??= makeFunctions();
  const types = functions.get(selectorOf(data));
  const decoded = types && decodeLeading(types, data.subarray(4));
  if (types === undefined || decoded === undefined) return undefined;
  const texts = decoded.values.map((value, index) => show(defined(types[index]), value));
  const [first = "", ...others] = texts;
  if (types[0]?.kind !== "string") return texts.join(" ");
  // Values are strings already.
  return format(first.replace(/%[di]/g, "%s"), ...others);
}

function makeFunctions(): Map<string, readonly AbiType[]> {
  const made = new Map<string, readonly AbiType[]>();
  const add = (name: string, types: readonly string[], spelled = types) => {
    const hash = keccak256(Buffer.from(`${name}(${spelled.join(",")})`));
    made.set(
      selectorOf(hash),
      types.map((type) => defined(elementaryType(type))),
    );
  };
  for (const types of lists(MAX_VALUES)) {
    add("log", types);
    // Older libraries hashed `uint` and `int`.
    if (types.includes("uint256"))
      add(
        "log",
        types,
        types.map((type) => type.replace("uint256", "uint")),
      );
  }
  for (const type of ["int256", "bytes"]) add("log", [type]);
  add("log", ["int256"], ["int"]);
  add("log", ["string", "int256"]);
  add("log", ["string", "int256"], ["string", "int"]);
  add("logInt", ["int256"]);
  add("logUint", ["uint256"]);
  add("logString", ["string"]);
  add("logBool", ["bool"]);
  add("logAddress", ["address"]);
  add("logBytes", ["bytes"]);
  for (let size = 1; size <= 32; size++) {
    add(`logBytes${size}`, [`bytes${size}`]);
    add("log", [`bytes${size}`]);
  }
  return made;
}

function lists(max: number): string[][] {
  if (max === 0) return [[]];
  const shorter = lists(max - 1);
  const longest = shorter.filter(({ length }) => length === max - 1);
  return [...shorter, ...longest.flatMap((list) => TYPES.map((type) => [...list, type]))];
}

function show(type: AbiType, value: AbiValue): string {
  if (!(value instanceof Uint8Array)) return String(value);
  if (type.kind === "address") return checksumAddress(value);
  return type.kind === "string" ? (textOf(value) ?? toHex(value)) : toHex(value);
}

function selectorOf(data: Bytes): string {
  return Buffer.from(data.buffer, data.byteOffset, Math.min(4, data.length)).toString("hex");
}
