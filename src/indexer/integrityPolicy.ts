import { clip } from "../chain/encoding/hex.ts";
import { ChainError } from "../chain/error.ts";
import type { Check } from "../chain/integrity/checks.ts";
import { CHECKS } from "../chain/integrity/checks.ts";
import type { Findings } from "../chain/integrity/integrity.ts";

/** How often a check must have held on a chain, without ever failing, before a failure refuses the block. */
export const PROVEN_AFTER = 16;

/** `auto` observes a check until it is proven on this chain; `enforce` and `observe` decide for all of them. */
export type IntegrityMode = "auto" | "enforce" | "observe";

export interface CheckRecord {
  readonly held: number;
  readonly failed: number;
  /** The first failure that was let pass. */
  readonly sample?: string;
  /** Blocks of which the check could say nothing, because of fields we do not know, and the first of them. */
  readonly unchecked?: number;
  readonly since?: string;
  /** Unknown fields that were there while the check held: it does not depend on them. */
  readonly unrelated?: readonly string[];
}

export type IntegrityRecord = Readonly<Partial<Record<Check, CheckRecord>>>;

/**
 * Decides what a failed check means. A chain may have quirks that a check cannot know, so a check that never held
 * there only observes; once it has held often enough, a failure is the node's fault and its block is refused.
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
    // Nothing of the block is wrong: a part of what nothing commits to is not kept.
    if (check === "extra") return false;
    if (this.mode !== "auto") return this.mode === "enforce";
    // A copy that is spelled otherwise is of no consequence.
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

  /** Whether all that failed is excused or has failed before, so that fetching the block again would tell nothing new. */
  isSettled({ failed, unknown }: Findings): boolean {
    return failed.every(({ check }) => {
      const isKnown = this.#hasFailed(check) && !this.isEnforced(check);
      return isKnown || this.#doubtful(check, unknown).length > 0;
    });
  }

  /** Unknown fields that a failure may be due to. */
  #doubtful(check: Check, unknown: Findings["unknown"]): readonly string[] {
    const unrelated = this.#record[check]?.unrelated ?? [];
    return unknown[check]?.filter((name) => !unrelated.includes(name)) ?? [];
  }

  /** Counts the findings of a block, or throws if it fails an enforced check. */
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

/** A chain has a handful of short names; a node that makes up others fills no record with them. */
const MAX_UNRELATED = 64;
const MAX_NAME_LENGTH = 100;

function withHeld(known: CheckRecord, beside: readonly string[] = []): CheckRecord {
  const held = { ...known, held: known.held + 1 };
  const unrelated = known.unrelated ?? [];
  const isFresh = (name: string) => name.length <= MAX_NAME_LENGTH && !unrelated.includes(name);
  const fresh = beside.filter(isFresh).slice(0, MAX_UNRELATED - unrelated.length);
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
