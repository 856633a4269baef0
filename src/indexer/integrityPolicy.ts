import { clip } from "../chain/encoding/hex.ts";
import { ChainError } from "../chain/error.ts";
import type { Check } from "../chain/integrity/checks.ts";
import { CHECKS } from "../chain/integrity/checks.ts";
import type { Findings } from "../chain/integrity/integrity.ts";

/** Passes without a failure before a failure rejects the block. */
export const PROVEN_AFTER = 16;

/** `auto` observes a check until it is proven on this chain; `enforce` and `observe` apply to all checks. */
export type IntegrityMode = "auto" | "enforce" | "observe";

interface CheckRecord {
  readonly held: number;
  readonly failed: number;
  /** First tolerated failure. */
  readonly sample?: string;
  /** Blocks that unknown fields kept the check from judging. */
  readonly unchecked?: number;
  readonly since?: string;
  /** Unknown fields present while the check passed, so it does not depend on them. */
  readonly unrelated?: readonly string[];
}

export type IntegrityRecord = Readonly<Partial<Record<Check, CheckRecord>>>;

/**
 * Decides what a failed check means. Chains have quirks, so a check that never passed only observes; once it has passed
 * often enough, a failure is the node's fault and the block is rejected.
 */
export class IntegrityPolicy {
  readonly mode: IntegrityMode;
  #record: IntegrityRecord;

  constructor(mode: IntegrityMode, record: IntegrityRecord = {}) {
    this.mode = mode;
    this.#record = record;
  }

  static restore(mode: IntegrityMode, stored: string | undefined): IntegrityPolicy {
    return new IntegrityPolicy(mode, stored === undefined ? {} : (JSON.parse(stored) as IntegrityRecord));
  }

  get record(): IntegrityRecord {
    return this.#record;
  }

  isEnforced(check: Check): boolean {
    // The block is correct; only uncommitted extra data is dropped.
    if (check === "extra") return false;
    if (this.mode !== "auto") return this.mode === "enforce";
    // A redundant copy in another spelling is harmless.
    if (check === "copies") return false;
    if (check === "noTransactions" && this.#isProven("transactionsRoot")) return !this.#hasFailed(check);
    return this.#isProven(check);
  }

  #isProven(check: Check): boolean {
    const { held = 0, failed = 0 } = this.#record[check] ?? {};
    return held >= PROVEN_AFTER && failed === 0;
  }

  #hasFailed(check: Check): boolean {
    return (this.#record[check]?.failed ?? 0) > 0;
  }

  /** Whether every failure is excused or known, so that fetching the block again is pointless. */
  isSettled({ failed, unknown }: Findings): boolean {
    return failed.every(({ check }) => {
      const isKnown = this.#hasFailed(check) && !this.isEnforced(check);
      return isKnown || this.#doubtful(check, unknown).length > 0;
    });
  }

  /** Unknown fields that may explain a failure. */
  #doubtful(check: Check, unknown: Findings["unknown"]): readonly string[] {
    const unrelated = this.#record[check]?.unrelated ?? [];
    return unknown[check]?.filter((name) => !unrelated.includes(name)) ?? [];
  }

  /** Counts the findings, or throws if an enforced check failed. */
  judge({ held, failed, unknown }: Findings, number: number): void {
    const record: Partial<Record<Check, CheckRecord>> = { ...this.#record };
    for (const check of held) record[check] = withHeld(record[check] ?? NEW, unknown[check]);
    for (const { check, message } of failed) {
      const known = this.#record[check] ?? NEW;
      const doubtful = this.#doubtful(check, unknown);
      if (doubtful.length > 0) record[check] = withUnchecked(known, number, doubtful);
      else if (this.isEnforced(check)) throw refusal(number, check, message);
      else record[check] = withFailure(known, `block ${number}: ${message}`);
    }
    this.#record = record;
  }
}

const NEW: CheckRecord = { held: 0, failed: 0 };

/** Bounds names that a node may invent; real chains have a handful. */
const MAX_UNRELATED = 64;
const MAX_NAME_LENGTH = 100;

function withHeld(known: CheckRecord, unknown: readonly string[] = []): CheckRecord {
  const held = { ...known, held: known.held + 1 };
  const unrelated = known.unrelated ?? [];
  const isFresh = (name: string) => name.length <= MAX_NAME_LENGTH && !unrelated.includes(name);
  const fresh = unknown.filter(isFresh).slice(0, MAX_UNRELATED - unrelated.length);
  return fresh.length === 0 ? held : { ...held, unrelated: [...unrelated, ...fresh] };
}

function withUnchecked(known: CheckRecord, number: number, fields: readonly string[]): CheckRecord {
  const since = known.since ?? clip(`block ${number}: unknown field ${fields.join(", ")}`, 200);
  return { ...known, unchecked: (known.unchecked ?? 0) + 1, since };
}

function withFailure(known: CheckRecord, failure: string): CheckRecord {
  return { ...known, failed: known.failed + 1, sample: known.sample ?? failure };
}

function refusal(number: number, check: Check, message: string): ChainError {
  const wayOut = "To follow this node all the same, start with --integrity observe";
  return new ChainError("upstream_invalid", `block ${number} fails ${check} (${CHECKS[check]}): ${message}. ${wayOut}`);
}
