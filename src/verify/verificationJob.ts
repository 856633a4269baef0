import { randomBytes } from "node:crypto";
import { toHex } from "../chain/encoding/hex.ts";
import type { NewJob } from "../store/contracts/verificationJobs.ts";
import type { Submission } from "./submission.ts";
import { storeSubmission } from "./submission.ts";

/** The id contains the address for readers, and enough randomness not to be guessed. */
export function jobOf(submission: Submission, client: string, now = Date.now()): NewJob {
  const { address } = submission;
  const guid = toHex(address).slice(2) + randomBytes(8).toString("hex");
  return { guid, address, client, submitted: Math.floor(now / 1000), request: storeSubmission(submission) };
}
