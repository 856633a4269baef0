import { hash } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Bytes } from "../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../chain/encoding/hex.ts";
import { asChainError, ChainError } from "../chain/error.ts";
import { Mutex } from "../std/async.ts";
import type { ContractStore } from "../store/contracts/contractStore.ts";
import type { JobRecord, JobResult, NewJob } from "../store/contracts/verificationJobs.ts";
import type { Compilers } from "./compilers.ts";
import type { CompilerVersion } from "./compilerVersion.ts";
import { parseCompilerVersion } from "./compilerVersion.ts";
import type { SandboxLimits } from "./sandbox.ts";
import { storeVerified } from "./storeVerified.ts";
import type { StoredSubmission, Submission } from "./submission.ts";
import type { CreationCode, VerificationOutcome } from "./verification.ts";
import { jobOf } from "./verificationJob.ts";
import { VERIFICATION_LIMITS, verifyInSandbox } from "./verifyInSandbox.ts";
import type { WaitingJob } from "./waitingJobs.ts";
import { WaitingJobs } from "./waitingJobs.ts";

/** Milliseconds to wait for the contract to be indexed. */
const TIMEOUT = 10_000;
const POLL_INTERVAL = 200;

/** Milliseconds to wait for code at the address: tools submit right after deploying. */
export const CODE_TIMEOUT = 2000;

export interface DeployedContract {
  readonly code: Bytes;
  readonly creation: CreationCode | undefined;
  /** The creation is only known once it is indexed. */
  readonly isIndexed: boolean;
}

export interface VerifierOptions {
  readonly chainId: number;
  readonly contracts: ContractStore;
  readonly compilers: Compilers;
  /** Undefined if there is no code. */
  readonly readDeployed: (address: Bytes) => Promise<DeployedContract | undefined>;
  readonly limits?: SandboxLimits | undefined;
  /** Milliseconds to wait for the contract to be indexed. */
  readonly timeout?: number | undefined;
  readonly onError?: ((reason: string) => void) | undefined;
}

/** Milliseconds for which a process has a job to itself; it extends them while it works. */
const CLAIM = 10_000;
const EXTEND_INTERVAL = 3000;

/** Milliseconds until jobs of other processes are looked at, some of which may have ended. */
const SYNC_INTERVAL = 3000;

const RESULT_INTERVAL = 500;

/** The job id, or why the submission was refused. */
export type Submitted = { readonly guid: string } | { readonly refused: "already_verified" | "no_code" | "busy" };

/**
 * Verifies submissions one at a time, each in its own process. The queue is shared by all processes that serve the same
 * database, and survives restarts.
 */
export class Verifier {
  readonly #options: VerifierOptions;
  readonly #waiting = new WaitingJobs();
  readonly #closing = new AbortController();
  /** Emits the ids of finished jobs. */
  readonly #done = new EventEmitter().setMaxListeners(0);
  readonly #accepting = new Mutex();
  #working: Promise<void> = Promise.resolve();
  #isWorking = false;

  constructor(options: VerifierOptions) {
    this.#options = options;
  }

  /** Resumes jobs left by the previous run, and by processes that ended since. */
  start(): void {
    const resumed = this.#accepting.run(() => this.#resume());
    this.#working = resumed.then(() => this.#work());
    const { signal } = this.#closing;
    const timer = setInterval(
      () => void this.#accepting.run(() => this.#resume()).then(() => this.#work()),
      SYNC_INTERVAL,
    );
    signal.addEventListener("abort", () => clearInterval(timer));
    timer.unref();
  }

  async #resume(): Promise<void> {
    try {
      await this.#sync();
    } catch (error) {
      this.#options.onError?.(asChainError(error).message);
    }
  }

  /** Takes over what other processes accepted, so that limits hold for all of them together. */
  async #sync(): Promise<void> {
    const { jobs } = this.#options.contracts;
    const waiting = await jobs.waiting();
    this.#waiting.keepOnly(new Set(waiting.map(({ guid }) => guid)));
    for (const { guid, client, claimed } of waiting) {
      if (this.#waiting.has(guid) || claimed > Date.now()) continue;
      this.#waiting.add({ guid, client, digest: digestOf(await jobs.request(guid)) });
    }
  }

  /** Queues a submission. Throws at once if it cannot be valid. */
  async submit(submission: Submission, client: string, now = Date.now()): Promise<Submitted> {
    parseCompilerVersion(submission.compiler);
    const { contracts, timeout = CODE_TIMEOUT } = this.#options;
    const { address } = submission;
    const deployed = await this.#pollUntil(address, Math.min(timeout, CODE_TIMEOUT), (found) => found !== undefined);
    if (deployed === undefined) return { refused: "no_code" };
    const known = await contracts.sourceOf(address, deployed.code);
    if (known?.isSimilar === false && known.match === "perfect") return { refused: "already_verified" };
    return this.#accepting.run(() => this.#accept(jobOf(submission, client, now)));
  }

  /** Serialized, so that the storage limit holds. */
  async #accept(job: NewJob): Promise<Submitted> {
    await this.#sync();
    const digest = digestOf(job.request);
    const same = this.#waiting.find(digest);
    if (same !== undefined) return { guid: same.guid };
    if (!this.#waiting.hasRoom(job.client)) return { refused: "busy" };
    await this.#options.contracts.jobs.add(job);
    this.#waiting.add({ ...job, digest });
    this.#work();
    return { guid: job.guid };
  }

  compilers(): readonly CompilerVersion[] {
    return this.#options.compilers.list();
  }

  /** Waits up to `timeout` milliseconds for a pending job: some tools do not poll. */
  async result(guid: string, timeout = 0): Promise<JobRecord | undefined> {
    const { jobs } = this.#options.contracts;
    const deadline = performance.now() + timeout;
    for (;;) {
      const known = await jobs.result(guid);
      const left = deadline - performance.now();
      if (known?.state !== "pending" || left <= 0 || this.#closing.signal.aborted) return known;
      // Another process may have the job.
      await this.#untilDone(guid, Math.ceil(Math.min(left, RESULT_INTERVAL)));
    }
  }

  async #untilDone(guid: string, timeout: number): Promise<void> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(timeout)]);
    await once(this.#done, guid, { signal }).catch(() => {});
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#accepting.idle();
    await this.#working;
  }

  #work(): void {
    if (this.#isWorking || this.#closing.signal.aborted) return;
    this.#isWorking = true;
    this.#working = this.#workOff().finally(() => {
      this.#isWorking = false;
    });
  }

  async #workOff(): Promise<void> {
    for (let job = this.#waiting.next(); job !== undefined; job = this.#waiting.next()) {
      await this.#run(job).catch((error: unknown) => this.#options.onError?.(asChainError(error).message));
      if (this.#closing.signal.aborted) return;
    }
  }

  /** A run cut short by shutdown stays queued and is repeated after restart, or by another process. */
  async #run({ guid }: WaitingJob): Promise<void> {
    const { jobs } = this.#options.contracts;
    if (!(await jobs.claim(guid, Date.now(), Date.now() + CLAIM))) return;
    const extend = () => void jobs.extend(guid, Date.now() + CLAIM).catch(() => {});
    const timer = setInterval(extend, EXTEND_INTERVAL);
    try {
      const result = await this.#resultOf(guid);
      if (this.#closing.signal.aborted) await jobs.extend(guid, 0);
      else await jobs.finish(guid, result);
    } finally {
      clearInterval(timer);
    }
    if (!this.#closing.signal.aborted) this.#done.emit(guid);
  }

  async #resultOf(guid: string): Promise<JobResult> {
    try {
      return await this.#verify(JSON.parse(await this.#options.contracts.jobs.request(guid)) as StoredSubmission);
    } catch (error) {
      const { code, message } = asChainError(error);
      if (code === "internal") this.#options.onError?.(message);
      return { state: "failed", reason: code === "internal" ? "the source could not be verified" : message };
    }
  }

  async #verify(submission: StoredSubmission): Promise<JobResult> {
    const { chainId, compilers, limits = VERIFICATION_LIMITS } = this.#options;
    const deployed = await this.#readIndexed(fromHex(submission.address));
    if (deployed === undefined) throw new ChainError("not_found", "there is no code at the address");
    const wanted = parseCompilerVersion(submission.compiler);
    const { path: soljson } = await compilers.find(wanted, this.#closing.signal);
    const { source, contract } = submission;
    const { code, creation } = deployed;
    const task = { soljson, compiler: wanted, source, contract, chainId, code: toHex(code), creation };
    const outcome = await verifyInSandbox({ ...task, address: submission.address }, limits, this.#closing.signal);
    return this.#keep(submission, code, outcome);
  }

  /** Tools verify right after deploying, when the index may be a few blocks behind. */
  #readIndexed(address: Bytes): Promise<DeployedContract | undefined> {
    const { timeout = TIMEOUT } = this.#options;
    return this.#pollUntil(address, timeout, (deployed) => deployed?.isIndexed !== false);
  }

  async #pollUntil(
    address: Bytes,
    timeout: number,
    isFound: (deployed: DeployedContract | undefined) => boolean,
  ): Promise<DeployedContract | undefined> {
    const deadline = performance.now() + timeout;
    for (;;) {
      const deployed = await this.#options.readDeployed(address);
      if (isFound(deployed) || performance.now() > deadline) return deployed;
      await delay(Math.min(POLL_INTERVAL, timeout), undefined, { signal: this.#closing.signal });
    }
  }

  async #keep(submission: StoredSubmission, code: Bytes, outcome: VerificationOutcome): Promise<JobResult> {
    if ("failure" in outcome) return { state: "failed", reason: outcome.failure.message };
    const { address, license } = submission;
    await storeVerified(this.#options.contracts, { address: fromHex(address), code, license }, outcome);
    return { state: "verified", reason: "" };
  }
}

const digestOf = (request: string) => hash("sha256", request);
