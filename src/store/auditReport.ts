import type { ChainError } from "../chain/error.ts";
import { asChainError } from "../chain/error.ts";

/** What an audit found. */
export class AuditReport {
  readonly problems: string[] = [];

  expect(holds: boolean, problem: string): void {
    if (!holds) this.problems.push(problem);
  }

  /** Does a part of an audit, up to a row that cannot be read. */
  async gather(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.problems.push(unreadable(asChainError(error)));
    }
  }
}

/** A damaged row may fail to decode in any way, and what comes after it is then not known. */
function unreadable(error: ChainError): string {
  if (error.code !== "store_corrupt" && error.code !== "internal") throw error;
  return `a row cannot be read, so the audit ends there: ${error.message}`;
}
