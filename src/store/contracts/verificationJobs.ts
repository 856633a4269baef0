import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import type { Database, Value } from "../engine/database.ts";
import { NO_FENCE, readNumber } from "../engine/database.ts";
import { compressText, decompressText } from "./sources.ts";

interface VerificationJob {
  readonly guid: string;
  readonly address: Bytes;
  readonly client: string;
  readonly submitted: number;
}

export interface WaitingVerification extends VerificationJob {
  /** Milliseconds since 1970 until when a process has it to itself. */
  readonly claimed: number;
}

/** `request` is the submission as JSON. */
export interface NewJob extends VerificationJob {
  readonly request: string;
}

/** Empty while pending or running. */
export interface JobResult {
  readonly state: "pending" | "verified" | "failed";
  readonly reason: string;
}

export interface JobRecord extends JobResult {
  readonly submitted: number;
}

export const MAX_DONE = 10_000;

const STATES = ["pending", "verified", "failed"] as const;

/** Verification jobs in order of arrival; pending ones survive a restart. */
export class VerificationJobs {
  readonly #database: Database;
  readonly #maxFinished: number;

  constructor(database: Database, maxFinished = MAX_DONE) {
    this.#database = database;
    this.#maxFinished = maxFinished;
  }

  async add({ guid, address, client, submitted, request }: NewJob): Promise<void> {
    const sent = await compressText(request);
    const columns = ["number", "guid", "address", "client", "submitted", "state", "reason", "request"];
    await this.#database.transaction(NO_FENCE, async (writer) => {
      const newest = await readNumber(writer, "SELECT max(number) FROM verification");
      await writer.insert("verification", columns, [[newest + 1, guid, address, client, submitted, 0, "", sent]]);
      await writer.run("DELETE FROM verification WHERE state <> 0 AND number <= ?", newest - this.#maxFinished);
    });
  }

  async waiting(): Promise<WaitingVerification[]> {
    const sql = "SELECT guid, address, client, submitted, claimed FROM verification WHERE state = 0 ORDER BY number";
    const rows = await this.#database.all<[string, Bytes, string, number, number]>(sql);
    return rows.map(([guid, address, client, submitted, claimed]) => ({ guid, address, client, submitted, claimed }));
  }

  /** Returns false if the job is done or another process has it. */
  claim(guid: string, now: number, until: number): Promise<boolean> {
    return this.#database.transaction(NO_FENCE, async (writer) => {
      const sql = "SELECT 1 FROM verification WHERE guid = ? AND state = 0 AND claimed <= ?";
      if ((await writer.all(sql, guid, now)).length === 0) return false;
      await writer.run("UPDATE verification SET claimed = ? WHERE guid = ?", until, guid);
      return true;
    });
  }

  /** For the process that has the job: keeps it, or with 0 leaves it to others. */
  async extend(guid: string, until: number): Promise<void> {
    const sql = "UPDATE verification SET claimed = ? WHERE guid = ?";
    await this.#database.transaction(NO_FENCE, (writer) => writer.run(sql, until, guid));
  }

  /** Empty for a finished job. */
  async request(guid: string): Promise<string> {
    const [row] = await this.#database.all<[Bytes]>("SELECT request FROM verification WHERE guid = ?", guid);
    return row === undefined || row[0].length === 0 ? "" : decompressText(row[0]);
  }

  async finish(guid: string, { state, reason }: JobResult): Promise<void> {
    const sql = "UPDATE verification SET state = ?, reason = ?, request = ? WHERE guid = ?";
    await this.#database.transaction(NO_FENCE, (writer) => writer.run(sql, STATES.indexOf(state), reason, EMPTY, guid));
  }

  result(guid: string): Promise<JobRecord | undefined> {
    return this.#result("guid = ?", guid);
  }

  lastResult(address: Bytes): Promise<JobRecord | undefined> {
    return this.#result("address = ? AND state <> 0", address);
  }

  async #result(condition: string, value: Value): Promise<JobRecord | undefined> {
    const sql = `SELECT state, reason, submitted FROM verification WHERE ${condition} ORDER BY number DESC LIMIT 1`;
    const [row] = await this.#database.all<[number, string, number]>(sql, value);
    const state = row && STATES[row[0]];
    return row && state && { state, reason: row[1], submitted: row[2] };
  }

  countWaiting(): Promise<number> {
    return readNumber(this.#database, "SELECT count(*) FROM verification WHERE state = 0");
  }
}
