import type { ChainError } from "../../chain/error.ts";
import { asChainError } from "../../chain/error.ts";

/** More are counted and not named. */
const MAX_NAMED = 100_000;

/** What an audit found. */
export class AuditReport {
  readonly #problems: string[] = [];
  #unnamed = 0;

  get problems(): string[] {
    return this.#unnamed === 0 ? this.#problems : [...this.#problems, `${this.#unnamed} more problems are not named`];
  }

  /** Answers whether it holds. */
  expect(holds: boolean, problem: string): boolean {
    if (holds) return true;
    if (this.#problems.length < MAX_NAMED) this.#problems.push(problem);
    else this.#unnamed++;
    return false;
  }

  /** Answers whether it is there. */
  expectFound<T>(found: T | undefined, problem: string): found is T {
    return this.expect(found !== undefined, problem);
  }

  /** What a row is decoded to; undefined where it cannot be. */
  try<T>(decode: () => T): T | undefined {
    try {
      return decode();
    } catch (error) {
      unreadable(error);
      return undefined;
    }
  }

  /** Does a part of an audit, up to a row that cannot be read; false if there was one. */
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

/** A damaged row may fail to decode in any way; whatever else goes wrong is no finding. */
export function unreadable(error: unknown): ChainError {
  const failure = asChainError(error);
  if (failure.code !== "store_corrupt" && failure.code !== "internal") throw failure;
  return failure;
}
