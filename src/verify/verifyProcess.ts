import { text } from "node:stream/consumers";
import type { VerificationTask, VerifiedContract } from "./verification.ts";
import { outcomeOf } from "./verifiedOutcome.ts";
import { explain, verifyContract } from "./verifyContract.ts";

/** Entry point of the sandboxed process: verifies one contract and prints one result. All input is hostile. */

// Keeps output of the compiler and the library out of the result.
const print = process.stdout.write.bind(process.stdout);
process.stdout.write = () => true;

/** One part per line, so that megabytes can be stored without parsing. */
function linesOf(contract: VerifiedContract): string[] {
  const { verified, artifact, record } = outcomeOf(contract);
  return [JSON.stringify({ verified }), artifact, record];
}

async function main(): Promise<void> {
  const task = JSON.parse(await text(process.stdin)) as VerificationTask;
  const lines = await verifyContract(task).then(linesOf, (error: unknown) => [
    JSON.stringify({ failure: explain(error) }),
  ]);
  print(lines.join("\n"), () => process.exit(0));
}

await main();
