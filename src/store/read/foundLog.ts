import type { Log } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { LogContext } from "../rows/logContext.ts";
import type { Place } from "../rows/words.ts";

/** A log with all that its record tells of its transaction and its block. Its bytes stand among those of others. */
export interface FoundLog {
  readonly context: LogContext;
  readonly logIndex: number;
  readonly address: Place;
  readonly topics: Place;
  readonly data: Place;
}

const arrayOf = ({ bytes, start, end }: Place): Bytes => bytes.subarray(start, end);

/** The log itself, in arrays of its own. */
export function logOf({ address, topics, data, logIndex }: FoundLog): Log {
  return { address: arrayOf(address), topics: arrayOf(topics), data: arrayOf(data), logIndex };
}

/** The hash of its transaction. */
export function transactionHashOf({ context: { hashes, hashAt } }: FoundLog): Bytes {
  return hashes.subarray(hashAt, hashAt + 32);
}
