import type { VerifiedContract, VerifiedHead, VerifiedOutcome } from "./verification.ts";

export function outcomeOf(contract: VerifiedContract): VerifiedOutcome {
  const { name, path, language, compiler, abi, runtime, matches } = contract;
  const { optimizer } = contract.settings as { readonly optimizer?: { readonly enabled?: unknown } };
  const isOptimized = optimizer?.enabled === true;
  const verified: VerifiedHead = { name, language, compiler, isOptimized, match: matches.runtime };
  const artifact = { abi, contractName: name, sourceName: path, deployedBytecode: runtime };
  return { verified, artifact: JSON.stringify(artifact), record: JSON.stringify(contract) };
}
