import { getOpcodesForHF } from "@ethereumjs/evm";
import { itemAt } from "../../std/values.ts";
import type { Pace } from "../state/pace.ts";
import type { Machine } from "./machine.ts";
import { pacePrecompiles } from "./pacePrecompiles.ts";

export type Instructions = ReturnType<typeof getOpcodesForHF>["opcodeMap"];
export type Instruction = Instructions[number];
export type RunState = Parameters<Instruction["opHandler"]>[0];

const known = new WeakMap<object, Instructions>();

/** Shared; do not modify. */
export function instructionsOf({ vm }: Machine): Instructions {
  let instructions = known.get(vm.common);
  if (instructions === undefined) {
    instructions = getOpcodesForHF(vm.common).opcodeMap;
    known.set(vm.common, instructions);
  }
  return instructions;
}

export function instruct({ vm }: Machine, instructions: Instructions): void {
  (vm.evm as unknown as { _opcodeMap: Instructions })._opcodeMap = instructions;
}

const JUMPDEST = 0x5b;

/** Instructions that may take long: hashing, copying, state access, calls. */
const LONG = [
  0x0a, 0x20, 0x31, 0x37, 0x39, 0x3b, 0x3c, 0x3e, 0x3f, 0x54, 0x55, 0x5e, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xf0, 0xf1,
  0xf2, 0xf4, 0xf5, 0xfa,
];

/** JUMPDESTs between checks of the clock. */
const JUMPS = 4;

/** Adds clock checks to JUMPDEST, which every loop passes, and to expensive instructions. */
export function paced(instructions: Instructions, pace: Pace): Instructions {
  const own = [...instructions];
  for (const opcode of LONG) {
    const instruction = itemAt(instructions, opcode);
    if (!instruction.opcodeInfo.isInvalid) own[opcode] = checked(instruction, () => pace.check());
  }
  let jumps = 0;
  own[JUMPDEST] = checked(itemAt(instructions, JUMPDEST), () => (++jumps % JUMPS === 0 ? pace.check() : undefined));
  return own;
}

/** Makes a machine yield and stop at its deadline. */
export function keepPace(machine: Machine, pace: Pace): void {
  machine.evm.pace = pace;
  if (!machine.evm.isOwn) instruct(machine, paced(instructionsOf(machine), pace));
  pacePrecompiles(machine, pace);
}

function checked({ opcodeInfo, gasHandler, opHandler }: Instruction, check: () => Promise<void> | undefined) {
  return {
    opcodeInfo: { ...opcodeInfo, isAsync: true },
    gasHandler,
    opHandler: ((runState, common) => {
      const wait = check();
      return wait === undefined ? opHandler(runState, common) : wait.then(() => opHandler(runState, common));
    }) as Instruction["opHandler"],
  };
}
