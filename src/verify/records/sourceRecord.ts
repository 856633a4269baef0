import type { Hex } from "../../chain/encoding/hex.ts";
import { isAddress } from "../../chain/encoding/parse.ts";
import { isObject } from "../../std/values.ts";
import { parseCompilerVersion } from "../compilerVersion.ts";
import { SourceFault } from "../standardInput.ts";
import { readBlockscoutRecord } from "./blockscoutRecord.ts";
import { readEtherscanRecord } from "./etherscanRecord.ts";
import type { RecordedSource } from "./recordedSource.ts";
import { readSourcifyRecord } from "./sourcifyRecord.ts";

type Json = Readonly<Record<string, unknown>>;

/** A source as another explorer serves it. */
export interface SourceRecord {
  /** Undefined if the record does not contain it: most do not. */
  readonly address: Hex | undefined;
  readonly source: RecordedSource;
}

/** The records of a response, or of a list of responses; empty for other JSON. */
export function recordsIn(json: unknown): readonly Json[] {
  const [records, left]: [Json[], unknown[]] = [[], [json]];
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    if (Array.isArray(part)) for (const each of part.toReversed()) left.push(each);
    else if (isObject(part) && readerOf(part) !== undefined) records.push(part);
    else if (isObject(part)) left.push(part.result ?? part.results ?? part.items);
  }
  return records;
}

/** Throws if there is no source in it, or none that can be compiled. */
export function readSourceRecord(record: Json): SourceRecord {
  const source = readerOf(record)?.(record);
  if (source === undefined) throw new SourceFault("it is no record of a verified contract");
  parseCompilerVersion(source.compiler);
  const address = String(record.address ?? record.address_hash ?? record.Address).toLowerCase();
  return { address: isAddress(address) ? address : undefined, source };
}

function readerOf(record: Json): ((record: Json) => RecordedSource) | undefined {
  if ("SourceCode" in record) return readEtherscanRecord;
  if ("source_code" in record) return readBlockscoutRecord;
  if ("stdJsonInput" in record || "compilation" in record) return readSourcifyRecord;
  return undefined;
}
