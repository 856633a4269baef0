import type { Log } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { ByteRange } from "../rows/byteRange.ts";
import { viewOf } from "../rows/byteRange.ts";
import type { LogContext } from "../rows/logContext.ts";

/** A log with its transaction and block data. Its bytes are ranges of shared buffers. */
export interface FoundLog {
  readonly context: LogContext;
  readonly logIndex: number;
  readonly address: ByteRange;
  readonly topics: ByteRange;
  readonly data: ByteRange;
}

export function logOf({ address, topics, data, logIndex }: FoundLog): Log {
  return { address: viewOf(address), topics: viewOf(topics), data: viewOf(data), logIndex };
}

export function transactionHashOf({ context: { hashes, hashAt } }: FoundLog): Bytes {
  return hashes.subarray(hashAt, hashAt + 32);
}
