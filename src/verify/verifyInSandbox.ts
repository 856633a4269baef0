import { createRequire } from "node:module";
import { dirname, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { SandboxLimits, SandboxResult } from "./sandbox.ts";
import { runSandboxed } from "./sandbox.ts";
import type { VerificationFailure, VerificationOutcome, VerificationTask } from "./verification.ts";

/** A hundred functions through the IR with the optimizer take most of a minute. */
export const VERIFICATION_LIMITS: SandboxLimits = { milliseconds: 120_000, bytes: 1536 << 20, output: 16 << 20 };

const SCRIPT = fileURLToPath(new URL(`./verifyProcess${extension()}`, import.meta.url));

export async function verifyInSandbox(
  task: VerificationTask,
  limits: SandboxLimits = VERIFICATION_LIMITS,
  signal?: AbortSignal,
): Promise<VerificationOutcome> {
  const reads = [dirname(SCRIPT), task.soljson, ...packageFolders()];
  const result = await runSandboxed({ script: SCRIPT, reads, input: JSON.stringify(task) }, limits, signal);
  return "ended" in result ? { failure: failureOf(result.ended, limits) } : readOutcome(result.output);
}

/** The artifact is parsed on the serving thread. */
export const MAX_ARTIFACT_LENGTH = 2 << 20;

function readOutcome(output: string): VerificationOutcome {
  const [head = "", artifact = "", record = ""] = output.split("\n");
  if (artifact.length > MAX_ARTIFACT_LENGTH) {
    return { failure: { reason: "limit", message: "the ABI of the contract is too long" } };
  }
  return { ...(JSON.parse(head) as VerificationOutcome), artifact, record };
}

type Ended = Extract<SandboxResult, { readonly ended: unknown }>["ended"];

function failureOf(ended: Ended, { milliseconds, bytes, output }: SandboxLimits): VerificationFailure {
  const reasons: Record<Ended, string> = {
    time: `the compiler took more than ${milliseconds / 1000} s`,
    memory: `the compiler needed more than ${bytes >> 20} MiB of memory`,
    output: `the compiler's output has more than ${output >> 20} MiB`,
    crash: "the compiler crashed",
  };
  return { reason: "limit", message: reasons[ended] };
}

/** Folders of the compiler wrapper and, unless the build has it, the library, wherever they are installed. */
function packageFolders(): string[] {
  const require = createRequire(import.meta.url);
  const names = extension() === ".ts" ? ["solc/wrapper", "@ethereum-sourcify/lib-sourcify"] : ["solc/wrapper"];
  const folders = names.map((name) => {
    const parts = require.resolve(name).split(sep);
    return parts.slice(0, parts.lastIndexOf("node_modules") + 1).join(sep);
  });
  return [...new Set(folders)];
}

/** .ts from source, .js from a build. */
function extension(): string {
  return import.meta.url.endsWith(".ts") ? ".ts" : ".js";
}
