import type { ChainError } from "../../chain/error.ts";
import { asChainError } from "../../chain/error.ts";

/** Further findings are only counted. */
const MAX_NAMED = 100_000;

export class AuditReport {
  readonly #problems: string[] = [];
  #unreported = 0;

  get problems(): string[] {
    return this.#unreported === 0
      ? this.#problems
      : [...this.#problems, `${this.#unreported} more problems are not named`];
  }

  expect(holds: boolean, problem: string): boolean {
    if (holds) return true;
    if (this.#problems.length < MAX_NAMED) this.#problems.push(problem);
    else this.#unreported++;
    return false;
  }

  expectFound<T>(found: T | undefined, problem: string): found is T {
    return this.expect(found !== undefined, problem);
  }

  /** Undefined if the row cannot be decoded. */
  try<T>(decode: () => T): T | undefined {
    try {
      return decode();
    } catch (error) {
      unreadable(error);
      return undefined;
    }
  }

  /** Runs until a row cannot be read; returns false then. */
  async gather(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.expect(false, `a row cannot be read, so the audit ends there: ${unreadable(error).message}`);
      return false;
    }
  }
}

/** Damaged rows may fail to decode in any way; other errors are no finding. */
export function unreadable(error: unknown): ChainError {
  const failure = asChainError(error);
  if (failure.code !== "store_corrupt" && failure.code !== "internal") throw failure;
  return failure;
}
