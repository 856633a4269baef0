import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { FoundSource, SourceHead } from "../../store/contracts/sources.ts";

/** The sources that are known of contracts. */
export interface Sources {
  /** That of a contract with some code, or of another contract with such code. */
  sourceOf(address: Bytes, code: Bytes): Promise<FoundSource | undefined>;
  /** Newest first. */
  verified(skip: number, limit: number): Promise<readonly SourceHead[]>;
  countVerified(): Promise<number>;
  verifiedAmong(addresses: readonly Bytes[]): Promise<readonly Bytes[]>;
}
