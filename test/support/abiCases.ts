import type { AbiType } from "../../src/chain/abi/type.ts";
import { arrayOf, elementaryType, tupleOf } from "../../src/chain/abi/type.ts";
import type { AbiValue } from "../../src/chain/abi/value.ts";
import type { Bytes } from "../../src/chain/encoding/bytes.ts";
import type { Random } from "./random.ts";

const PLAIN = ["address", "bool", "bytes", "string", "function", "uint256", "int256", "bytes32"];

/** Any type, at most so deep. */
export function randomType(random: Random, depth = 3): AbiType {
  const roll = depth === 0 ? 0 : random.int(10);
  if (roll === 9) return arrayOf(randomType(random, depth - 1), undefined);
  if (roll === 8) return arrayOf(randomType(random, depth - 1), random.between(1, 3));
  if (roll === 7) return tupleOf(randomTypes(random, random.between(1, 3), depth - 1));
  if (roll > 3) return elementaryType(random.pick(PLAIN))!;
  const bytes = random.between(1, 32);
  return elementaryType(random.pick([`uint${bytes * 8}`, `int${bytes * 8}`, `bytes${bytes}`]))!;
}

export function randomTypes(random: Random, count: number, depth = 3): AbiType[] {
  return Array.from({ length: count }, () => randomType(random, depth));
}

export function randomValue(random: Random, type: AbiType): AbiValue {
  switch (type.kind) {
    case "uint":
      return BigInt.asUintN(random.chance(0.3) ? random.int(type.bits + 1) : type.bits, randomWord(random));
    case "int":
      return BigInt.asIntN(random.chance(0.3) ? random.between(1, type.bits) : type.bits, randomWord(random));
    case "bool":
      return random.chance(0.5);
    case "address":
      return random.bytes(20);
    case "fixedBytes":
      return random.bytes(type.length);
    case "bytes":
      return random.bytes(random.pick([0, 1, 31, 32, 33, random.int(100)]));
    case "string":
      return Buffer.from(random.pick(["", "a", "x".repeat(32), "ünïcödé ✓ 🎈", "\u0000\ufeff"]));
    case "tuple":
      return type.items.map((item) => randomValue(random, item));
    case "array":
      return Array.from({ length: type.length ?? random.int(4) }, () => randomValue(random, type.item));
  }
}

function randomWord(random: Random): bigint {
  return BigInt(`0x${Buffer.from(random.bytes(32)).toString("hex")}`);
}

/** The data with something wrong in it: bits, words, length, or a word that looks like an offset or a length. */
export function mutate(random: Random, data: Bytes): Bytes {
  const copy = Uint8Array.from(data);
  const words = Math.floor(copy.length / 32);
  switch (random.int(7)) {
    case 0:
      return copy.subarray(0, random.int(copy.length + 1));
    case 1:
      return Uint8Array.from([...copy, ...new Uint8Array(random.pick([1, 31, 32, 64]))]);
    case 2:
      return Uint8Array.from([...copy, ...random.bytes(random.between(1, 64))]);
    case 3:
      if (copy.length > 0) copy[random.int(copy.length)]! ^= 1 << random.int(8);
      return copy;
    case 4:
      if (words > 0) copy.fill(random.pick([0, 0xff]), random.int(words) * 32, copy.length - random.int(32));
      return copy;
    case 5:
      if (words > 0) setWord(copy, random.int(words), random.pick([0, 1, 31, 32, 33, 64, 96, copy.length]));
      return copy;
    default:
      if (words > 1) copy.copyWithin(random.int(words) * 32, random.int(words) * 32, copy.length);
      return copy;
  }
}

function setWord(data: Bytes, index: number, value: number): void {
  data.fill(0, index * 32, index * 32 + 28);
  new DataView(data.buffer, data.byteOffset).setUint32(index * 32 + 28, value);
}
