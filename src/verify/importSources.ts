import { setTimeout as delay } from "node:timers/promises";
import type { ContractStore } from "../store/contracts/contractStore.ts";
import type { JobRecord } from "../store/contracts/verificationJobs.ts";
import type { Submission } from "./submission.ts";
import { jobOf } from "./verificationJob.ts";

/** Jobs of an import that wait at once. Servers verify those of other clients in between. */
const MAX_WAITING = 16;

/** Milliseconds. */
const POLL_INTERVAL = 250;

const CLIENT = "import";

export interface ImportResult {
  readonly submission: Submission;
  /** `known`: it was verified before, metadata included. */
  readonly state: "verified" | "failed" | "known";
  readonly reason: string;
}

interface ImportOptions {
  /** Called while no server verifies any, with the milliseconds since one did. */
  readonly onIdle?: (waiting: number, milliseconds: number) => void;
  readonly pollInterval?: number;
}

/** Has the servers of a network verify sources like those that are submitted to them. Results come in any order. */
export async function* importSources(
  contracts: ContractStore,
  submissions: Iterable<Submission>,
  { onIdle, pollInterval = POLL_INTERVAL }: ImportOptions = {},
): AsyncGenerator<ImportResult> {
  const waiting = new Map<string, Submission>();
  let lastActive = performance.now();
  for (const submission of submissions) {
    const [known] = await contracts.verifiedAmong([submission.address]);
    if (known?.match === "perfect") {
      yield { submission, state: "known", reason: "" };
      continue;
    }
    while (waiting.size >= MAX_WAITING) yield* finished();
    const job = jobOf(submission, CLIENT);
    await contracts.jobs.add(job);
    waiting.set(job.guid, submission);
  }
  while (waiting.size > 0) yield* finished();

  async function* finished(): AsyncGenerator<ImportResult> {
    const before = waiting.size;
    for (const [guid, submission] of waiting) {
      const result = await contracts.jobs.result(guid);
      if (result?.state === "pending") continue;
      waiting.delete(guid);
      yield { submission, ...outcomeOf(result) };
    }
    const isActive =
      waiting.size < before || (await contracts.jobs.waiting()).some(({ claimed }) => claimed > Date.now());
    if (isActive) lastActive = performance.now();
    else onIdle?.(waiting.size, performance.now() - lastActive);
    if (waiting.size === before) await delay(pollInterval);
  }
}

/** Results of old jobs are forgotten. */
function outcomeOf(result: JobRecord | undefined): Pick<ImportResult, "state" | "reason"> {
  if (result === undefined) return { state: "failed", reason: "its result was forgotten" };
  return { state: result.state === "verified" ? "verified" : "failed", reason: result.reason };
}
