import { text } from "node:stream/consumers";
import type { VerificationTask, VerifiedContract, VerifiedHead } from "./verification.ts";
import { explain, verifyContract } from "./verifyContract.ts";

/**
 * What a sandboxed process does: verifies a contract, and prints one answer. Everything that it is given may be hostile.
 */

// What the compiler or a library prints is not the answer.
const print = process.stdout.write.bind(process.stdout);
process.stdout.write = () => true;

/** In lines, so that the megabytes of a contract need not be parsed to be kept. */
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
