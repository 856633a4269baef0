import { createRequire } from "node:module";
import type { Abi } from "viem";
import type { Hex } from "../../src/chain/encoding/hex.ts";

export interface Compiled {
  readonly abi: Abi;
  readonly bytecode: Hex;
  readonly deployedBytecode: Hex;
}

interface Code {
  readonly object: string;
}

interface Output {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Record<
    string,
    Record<string, { abi: Abi; evm: { readonly bytecode: Code; readonly deployedBytecode: Code } }>
  >;
}

export function compile(source: string): Record<string, Compiled> {
  const solc = createRequire(import.meta.url)("solc") as { compile(input: string): string };
  const selected = ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"];
  const settings = { evmVersion: "prague", outputSelection: { "*": { "*": selected } } };
  const input = { language: "Solidity", sources: { source: { content: source } }, settings };
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
  for (const { severity, formattedMessage } of errors) if (severity === "error") throw new Error(formattedMessage);
  const compiled = Object.entries(contracts.source!).map(([name, { abi, evm }]) => [
    name,
    { abi, bytecode: `0x${evm.bytecode.object}`, deployedBytecode: `0x${evm.deployedBytecode.object}` },
  ]);
  return Object.fromEntries(compiled) as Record<string, Compiled>;
}
