import solc from "solc";
import type { CompiledContract, CompilerInput } from "../verification.ts";
import { compile, inputOf } from "../verification.ts";

export const CODE = "Kept is Base";

/** Of two files. */
export const SOURCES = [
  `import "./lib/Base.sol"; contract ${CODE} { constructor(uint256 from) { start = from; } }`,
  "contract Base { uint256 public immutable start; function next() external view returns (uint256) { return start + 1; } }",
].map((code) => `// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\n${code}\n`) as [string, string];

export const CONTRACT = "src/Kept.sol:Kept";

const PATHS = ["src/Kept.sol", "src/lib/Base.sol"] as const;

interface ImportedProject {
  readonly input: CompilerInput;
  readonly compiled: CompiledContract;
  readonly metadata: string;
}

export function compileForImport(): ImportedProject {
  const input = inputOf({ [PATHS[0]]: SOURCES[0], [PATHS[1]]: SOURCES[1] });
  const settings = { ...input.settings, outputSelection: { "*": { "*": ["metadata"] } } };
  const { contracts } = JSON.parse(solc.compile(JSON.stringify({ ...input, settings }))) as {
    readonly contracts: Record<string, Record<string, { readonly metadata: string }>>;
  };
  return { input, compiled: compile(input, CONTRACT), metadata: contracts[PATHS[0]]!.Kept!.metadata };
}
