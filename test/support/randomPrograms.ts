import type { Hex } from "../../src/chain/encoding/hex.ts";
import { demandOf, opcodeName } from "../../src/node/evm/opcodes.ts";
import type { Random } from "./random.ts";

const PUSH1 = 0x60;
const JUMPDEST = 0x5b;
const DEFINED = Array.from({ length: 256 }, (_, opcode) => opcode).filter((opcode) => demandOf(opcode) !== undefined);

/** Instructions that end a call would leave the rest of a program unrun. */
const ENDS = new Set(["STOP", "RETURN", "REVERT", "INVALID", "SELFDESTRUCT", "JUMP"]);
const GOING_ON = DEFINED.filter((opcode) => !ENDS.has(opcodeName(opcode)));
const OFTEN = [
  "SLOAD",
  "SSTORE",
  "TLOAD",
  "TSTORE",
  "CALL",
  "CALLCODE",
  "DELEGATECALL",
  "STATICCALL",
  "CREATE",
  "CREATE2",
];
const FREQUENT = GOING_ON.filter((opcode) => OFTEN.includes(opcodeName(opcode)));

/** Where programs call, and what they do without. */
export interface ProgramOptions {
  readonly addresses: readonly Hex[];
  readonly avoided: ReadonlySet<string>;
}

/** Copies all of the code to memory and creates an account with it: CODECOPY, then CREATE with a value of 0 or 1. */
const recreate = (value: number) => [0x38, PUSH1, 0, PUSH1, 0, 0x39, 0x38, PUSH1, 0, PUSH1, value, 0xf0];

/** Code that does something with most of what it is made of: arguments fit instructions, and jumps have destinations. */
export function randomProgram(random: Random, options: ProgramOptions, length = random.between(5, 60)): Uint8Array {
  const bytes: number[] = [];
  const destinations: number[] = [];
  let height = 0;
  for (let i = 0; i < length; i++) {
    if (random.chance(0.1)) destinations.push(bytes.push(JUMPDEST) - 1);
    if (random.chance(0.02)) height += bytes.push(...recreate(random.int(2))) > 0 ? 1 : 0;
    const opcode = pickOpcode(random);
    const name = opcodeName(opcode);
    const { takes, puts } = demandOf(opcode)!;
    const values = argumentsOf(random, name, options.addresses, destinations, bytes.length);
    const isLacking = height + values.length < takes || options.avoided.has(name);
    if (isLacking && random.chance(0.998)) continue;
    for (const value of values.reverse()) pushWord(bytes, value);
    bytes.push(random.chance(0.998) ? opcode : random.int(256));
    if (opcode >= PUSH1 && opcode < 0x80) bytes.push(...random.bytes(opcode - PUSH1 + 1));
    height += values.length + puts - takes;
    if (puts === 1 && OFTEN.includes(name) && random.chance(0.5)) height -= keepResult(random, bytes);
  }
  end(random, bytes, options.addresses);
  return Uint8Array.from(bytes);
}

function pickOpcode(random: Random): number {
  if (random.chance(0.2)) return random.pick(FREQUENT);
  return random.pick(random.chance(0.03) ? DEFINED : GOING_ON);
}

function pushWord(bytes: number[], value: bigint): void {
  const digits = value.toString(16);
  const even = digits.padStart(digits.length + (digits.length % 2), "0");
  bytes.push(PUSH1 + even.length / 2 - 1, ...Buffer.from(even, "hex"));
}

/** Stores the result of a call in a slot or in memory, so that it has an effect. */
function keepResult(random: Random, bytes: number[]): number {
  bytes.push(...(random.chance(0.5) ? [PUSH1, random.int(4), 0x55] : [PUSH1, random.int(200), 0x52]));
  return 1;
}

/** Code runs out, stops, destroys itself, reverts or returns. */
function end(random: Random, bytes: number[], addresses: readonly Hex[]): void {
  const kind = random.int(8);
  if (kind === 0) return;
  if (kind === 2) pushWord(bytes, BigInt(random.pick(addresses)));
  if (kind > 2) for (const max of [100, 300]) pushWord(bytes, BigInt(random.int(max)));
  bytes.push([0, 0x00, 0xff, 0xfd][kind] ?? 0xf3);
}

function argumentsOf(
  random: Random,
  name: string,
  addresses: readonly Hex[],
  destinations: readonly number[],
  place: number,
): bigint[] {
  const small = () => BigInt(random.int(random.pick([4, 40, 400])));
  const offset = () => (random.chance(0.97) ? small() : word(random));
  const address = () => (random.chance(0.9) ? BigInt(random.pick(addresses)) : word(random));
  const gas = () => (random.chance(0.5) ? BigInt(random.int(100_000)) : word(random));
  const value = () => (random.chance(0.6) ? 0n : random.chance(0.9) ? small() : word(random));
  const memory = () => [offset(), offset()];
  switch (name) {
    case "MLOAD":
    case "CALLDATALOAD":
      return [offset()];
    case "MSTORE":
    case "MSTORE8":
      return [offset(), word(random)];
    case "SLOAD":
    case "TLOAD":
      return [key(random)];
    case "SSTORE":
    case "TSTORE":
      return [key(random), random.chance(0.4) ? 0n : small()];
    case "JUMPI": {
      const destination = random.chance(0.8) && destinations.length > 0 ? random.pick(destinations) : place + 6;
      return [BigInt(destination), BigInt(random.int(2))];
    }
    case "JUMP":
      return [BigInt(destinations.length > 0 ? random.pick(destinations) : place)];
    case "KECCAK256":
    case "RETURN":
    case "REVERT":
      return memory();
    case "CALLDATACOPY":
    case "CODECOPY":
    case "RETURNDATACOPY":
    case "MCOPY":
      return [offset(), offset(), offset()];
    case "EXTCODECOPY":
      return [address(), offset(), offset(), offset()];
    case "BALANCE":
    case "EXTCODESIZE":
    case "EXTCODEHASH":
    case "SELFDESTRUCT":
      return [address()];
    case "CALL":
    case "CALLCODE":
      return [gas(), address(), value(), ...memory(), ...memory()];
    case "DELEGATECALL":
    case "STATICCALL":
      return [gas(), address(), ...memory(), ...memory()];
    case "CREATE":
      return [value(), ...memory()];
    case "CREATE2":
      return [value(), ...memory(), small()];
    default:
      if (name.startsWith("LOG")) return [...memory(), ...Array.from({ length: Number(name[3]) }, () => word(random))];
      if (name.startsWith("DUP") || name.startsWith("SWAP") || name.startsWith("PUSH")) return [];
      return Array.from({ length: demandOf(DEFINED.find((opcode) => opcodeName(opcode) === name)!)!.takes }, () =>
        word(random),
      );
  }
}

function key(random: Random): bigint {
  return random.chance(0.9) ? BigInt(random.int(4)) : word(random);
}

/** Words around the bounds of all the ways to hold them. */
export function word(random: Random): bigint {
  switch (random.int(6)) {
    case 0:
      return BigInt(random.int(300));
    case 1:
      return 2n ** BigInt(random.int(256)) - BigInt(random.int(2));
    case 2:
      return 2n ** 256n - 1n - BigInt(random.int(3));
    case 3:
      return 2n ** 53n - 2n + BigInt(random.int(4));
    case 4:
      return BigInt(random.int(2 ** 31)) * BigInt(random.int(2 ** 22));
    default:
      return BigInt(`0x${Buffer.from(random.bytes(random.between(1, 32))).toString("hex")}`);
  }
}
