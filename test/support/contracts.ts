import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Hex } from "../../src/chain/encoding/hex.ts";

/** A compiled contract as its package publishes it. */
export interface Artifact {
  readonly abi: readonly never[];
  readonly bytecode: Hex;
}

const require = createRequire(import.meta.url);

export function contractNamed(name: string): Artifact {
  const path = require.resolve(`@openzeppelin/contracts/build/contracts/${name}.json`);
  return JSON.parse(readFileSync(path, "utf8")) as Artifact;
}

/** The creation code of a contract that answers every call by reverting with this data. */
export function revertingWith(data: Hex): Hex {
  return creationOf(`0x${copying(data)}fd${data.slice(2)}`);
}

export function creationOf(code: Hex): Hex {
  return `0x${copying(code)}f3${code.slice(2)}`;
}

/** Copies what follows the ten bytes of this and one instruction to memory, and puts its place there on the stack. */
function copying(data: Hex): string {
  const size = ((data.length - 2) / 2).toString(16).padStart(4, "0");
  return `61${size}80600a5f395f`;
}
