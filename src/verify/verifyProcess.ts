import { text } from "node:stream/consumers";
import type { VerificationTask, VerifiedContract, VerifiedHead } from "./verification.ts";
import { explain, verifyContract } from "./verifyContract.ts";

/** Entry point of the sandboxed process: verifies one contract and prints one result. All input is hostile. */

// Keeps output of the compiler and the library out of the result.
const print = process.stdout.write.bind(process.stdout);
process.stdout.write = () => true;

/** One part per line, so that megabytes can be stored without parsing. */
function linesOf(contract: VerifiedContract): string[] {
  const { name, path, language, compiler, abi, runtime, matches } = contract;
  const { optimizer } = contract.settings as { readonly optimizer?: { readonly enabled?: unknown } };
  const isOptimized = optimizer?.enabled === true;
  const verified: VerifiedHead = { name, language, compiler, isOptimized, match: matches.runtime };
  const artifact = { abi, contractName: name, sourceName: path, deployedBytecode: runtime };
  return [{ verified }, artifact, contract].map((line) => JSON.stringify(line));
}

async function main(): Promise<void> {
  const task = JSON.parse(await text(process.stdin)) as VerificationTask;
  const lines = await verifyContract(task).then(linesOf, (error: unknown) => [
    JSON.stringify({ failure: explain(error) }),
  ]);
  print(lines.join("\n"), () => process.exit(0));
}

await main();
