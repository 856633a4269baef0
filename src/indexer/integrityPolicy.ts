import { ChainError } from "../chain/error.ts";
import type { Check, Findings } from "./integrity.ts";
import { CHECKS } from "./integrity.ts";

/** How often a check must have held on a chain, without ever failing, before a failure refuses the block. */
export const PROVEN_AFTER = 16;

/** `auto` observes a check until it is proven on this chain; `enforce` and `observe` decide for all of them. */
export type IntegrityMode = "auto" | "enforce" | "observe";

export interface CheckRecord {
  readonly held: number;
  readonly failed: number;
  /** The first failure that was let pass. */
  readonly sample?: string;
}

export type IntegrityRecord = Readonly<Partial<Record<Check, CheckRecord>>>;

/**
 * Decides what a failed check means. A chain may have quirks that a check cannot know, so a check that never held
 * there only observes; once it has held often enough, a failure is the node's fault and its block is refused.
 */
export class IntegrityPolicy {
  readonly #mode: IntegrityMode;
  #record: IntegrityRecord;

  constructor(mode: IntegrityMode, record: IntegrityRecord = {}) {
    this.#mode = mode;
    this.#record = record;
  }

  static restore(mode: IntegrityMode, stored: string | undefined): IntegrityPolicy {
    return new IntegrityPolicy(mode, stored === undefined ? {} : (JSON.parse(stored) as IntegrityRecord));
  }

  get record(): IntegrityRecord {
    return this.#record;
  }

  isEnforced(check: Check): boolean {
    if (this.#mode !== "auto") return this.#mode === "enforce";
    const { held = 0, failed = 0 } = this.#record[check] ?? {};
    return held >= PROVEN_AFTER && failed === 0;
  }

  /** Counts the findings of a block, or throws if it fails an enforced check. */
  judge({ held, failed }: Findings, number: number): void {
    const fault = failed.find(({ check }) => this.isEnforced(check));
    if (fault !== undefined) {
      const { check, message } = fault;
      throw new ChainError("upstream_invalid", `block ${number} fails ${check} (${CHECKS[check]}): ${message}`);
    }
    const record: Partial<Record<Check, CheckRecord>> = { ...this.#record };
    for (const check of held) {
      const known = record[check] ?? { held: 0, failed: 0 };
      record[check] = { ...known, held: known.held + 1 };
    }
    for (const { check, message } of failed) {
      const known = record[check] ?? { held: 0, failed: 0 };
      record[check] = { ...known, failed: known.failed + 1, sample: known.sample ?? `block ${number}: ${message}` };
    }
    this.#record = record;
  }
}
