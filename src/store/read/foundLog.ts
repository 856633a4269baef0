import type { Log } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { ByteRange } from "../rows/byteRange.ts";
import { viewOf } from "../rows/byteRange.ts";
import type { LogContext } from "../rows/logContext.ts";

/** A log with all that its record tells of its transaction and its block. Its bytes stand among those of others. */
export interface FoundLog {
  readonly context: LogContext;
  readonly logIndex: number;
  readonly address: ByteRange;
  readonly topics: ByteRange;
  readonly data: ByteRange;
}

/** The log itself, in views of its bytes. */
export function logOf({ address, topics, data, logIndex }: FoundLog): Log {
  return { address: viewOf(address), topics: viewOf(topics), data: viewOf(data), logIndex };
}

/** The hash of its transaction. */
export function transactionHashOf({ context: { hashes, hashAt } }: FoundLog): Bytes {
  return hashes.subarray(hashAt, hashAt + 32);
}
