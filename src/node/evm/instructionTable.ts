import type { Common } from "@ethereumjs/common";
import { getOpcodesForHF } from "@ethereumjs/evm";
import { itemAt } from "../../std/values.ts";
import type { Fork } from "./fork.ts";
import { forkOf } from "./fork.ts";
import { CALLS } from "./instructions/calls.ts";
import { COMPUTE } from "./instructions/compute.ts";
import { CONTROL } from "./instructions/control.ts";
import { DATA } from "./instructions/data.ts";
import { ENVIRONMENT } from "./instructions/environment.ts";
import type { Instruction, Instructions } from "./instructions/instruction.ts";
import { STORAGE } from "./instructions/storage.ts";
import { demandOf, opcodeName, STACK_LIMIT } from "./opcodes.ts";

export interface InstructionTable {
  readonly fork: Fork;
  readonly instructions: readonly Instruction[];
  readonly costs: Uint16Array;
  readonly min: Uint16Array;
  readonly max: Uint16Array;
  /** Whether the library checks the stack before charging gas. */
  readonly isDynamic: Uint8Array;
  /** PUSH0 or, before Shanghai, PUSH1 (EIP-3855). */
  readonly firstPush: number;
}

const INSTRUCTIONS: Instructions = { ...COMPUTE, ...CONTROL, ...DATA, ...ENVIRONMENT, ...STORAGE, ...CALLS };

/** Opcodes inlined in the loop. */
const isSimple = (opcode: number) => opcode >= 0x5f && opcode <= 0x9f;

/** EIPs that this table does not implement. */
const UNKNOWN_EIPS = [2780, 3540, 6800, 7708, 7709, 7843, 7864, 7928, 8024, 8037, 8038, 8246];

const tables = new WeakMap<Common, InstructionTable | "unknown">();

/** Undefined for rules before Berlin or with unknown EIPs. */
export function instructionTableOf(common: Common): InstructionTable | undefined {
  let table = tables.get(common);
  if (table === undefined) {
    table = isKnown(common) ? makeTable(common) : "unknown";
    tables.set(common, table);
  }
  return table === "unknown" ? undefined : table;
}

function isKnown(common: Common): boolean {
  const isClique = String(common.consensusType()) === "poa";
  return common.gteHardfork("berlin") && !isClique && !UNKNOWN_EIPS.some((eip) => common.isActivatedEIP(eip));
}

function makeTable(common: Common): InstructionTable | "unknown" {
  const { opcodeMap } = getOpcodesForHF(common);
  const numbers = () => new Uint16Array(256);
  const table = { costs: numbers(), min: numbers(), max: numbers(), isDynamic: new Uint8Array(256) };
  const instructions: Instruction[] = [];
  for (let opcode = 0; opcode < 256; opcode++) {
    const { opcodeInfo } = itemAt(opcodeMap, opcode);
    const name = opcodeInfo.isInvalid ? "INVALID" : opcodeName(opcode);
    const instruction = isSimple(opcode) && !opcodeInfo.isInvalid ? NEVER : INSTRUCTIONS[name];
    if (instruction === undefined) return "unknown";
    const { takes, puts } = (opcodeInfo.isInvalid ? undefined : demandOf(opcode)) ?? { takes: 0, puts: 0 };
    instructions.push(instruction);
    table.costs[opcode] = opcodeInfo.isInvalid ? 0 : opcodeInfo.fee;
    table.min[opcode] = takes;
    table.max[opcode] = STACK_LIMIT + takes - puts;
    table.isDynamic[opcode] = opcodeInfo.dynamicGas ? 1 : 0;
  }
  const firstPush = common.isActivatedEIP(3855) ? 0x5f : 0x60;
  return { fork: forkOf(common), instructions, ...table, firstPush };
}

function NEVER(): never {
  throw new Error("the loop runs this instruction itself");
}
