import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { FoundSource, ListedSource, SourceWindow, VerifiedSource } from "../../store/contracts/sources.ts";
import type { VerifiedContracts } from "../../store/contracts/verifiedContracts.ts";

/** The sources that are known of contracts. */
export interface Sources {
  /** All contracts that a source was verified for. */
  readonly verifiedContracts: Pick<VerifiedContracts, "size" | "has" | "newestFirst" | "find">;
  /** That of a contract with some code, or of another contract with such code. */
  sourceOf(address: Bytes, code: Bytes): Promise<FoundSource | undefined>;
  /** Newest first. */
  verified(window: SourceWindow): Promise<readonly ListedSource[]>;
  /** Those with some ids in full, in this order. */
  verifiedSources(ids: readonly number[]): Promise<readonly VerifiedSource[]>;
  /** How many contracts were verified from a time on, in seconds since 1970. */
  countVerified(from: number): Promise<number>;
  /** Those of some contracts, in any order. */
  verifiedAmong(addresses: readonly Bytes[]): Promise<readonly ListedSource[]>;
  /** Why the newest source that was sent for a contract was not verified; undefined where it was, or none was. */
  lastFailure(address: Bytes): Promise<string | undefined>;
}
