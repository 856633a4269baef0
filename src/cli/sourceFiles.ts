import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Hex } from "../chain/encoding/hex.ts";
import { fromHex } from "../chain/encoding/hex.ts";
import { isAddress } from "../chain/encoding/parse.ts";
import { ChainError } from "../chain/error.ts";
import { messageOf } from "../std/values.ts";
import { readMetadata } from "../verify/records/metadata.ts";
import type { RecordedSource } from "../verify/records/recordedSource.ts";
import { readSourceRecord, recordsIn } from "../verify/records/sourceRecord.ts";
import type { Submission } from "../verify/submission.ts";
import { jsonFilesIn, readText } from "./jsonFiles.ts";

/** A source, or why there is none. */
type FoundSource =
  | { readonly file: string; readonly submission: Submission }
  | { readonly file: string; readonly reason: string };

export function expectPath(path: string): void {
  if (!existsSync(path)) throw new ChainError("not_found", `there is no ${path}`);
}

/** Sources in responses of other explorers, and in folders of Sourcify's repository. Other files are passed over. */
export function* sourcesIn(path: string): Generator<FoundSource> {
  if (!statSync(path).isDirectory()) return yield* readSources(path);
  for (const found of jsonFilesIn(path)) {
    if (found.reason === undefined) yield* readSources(found.file);
    else yield { file: found.file, reason: found.reason };
  }
}

function* readSources(file: string): Generator<FoundSource> {
  const sources = join(dirname(file), "sources");
  if (basename(file) === "metadata.json" && existsSync(sources)) {
    yield tryRead(file, () => submissionOf(addressOf(file), readMetadata(readText(file), textsIn(sources))));
    return;
  }
  let records: ReturnType<typeof recordsIn>;
  try {
    records = recordsIn(JSON.parse(readText(file)));
  } catch (error) {
    yield { file, reason: messageOf(error) };
    return;
  }
  for (const record of records) {
    yield tryRead(file, () => {
      const { address, source } = readSourceRecord(record);
      return submissionOf(address ?? (records.length === 1 ? addressOf(file) : undefined), source);
    });
  }
}

function tryRead(file: string, read: () => Submission): FoundSource {
  try {
    return { file, submission: read() };
  } catch (error) {
    return { file, reason: messageOf(error) };
  }
}

function submissionOf(address: Hex | undefined, source: RecordedSource): Submission {
  if (address === undefined) {
    throw new ChainError("invalid_argument", "it does not say of which contract; name the file after its address");
  }
  return { address: fromHex(address), ...source };
}

/** Of a file or folder that is named after its contract, such as `0x….json`. */
function addressOf(file: string): Hex | undefined {
  const names = [basename(file, ".json"), basename(dirname(file))].map((name) => name.toLowerCase());
  return names.find(isAddress);
}

function* textsIn(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) yield readText(join(entry.parentPath, entry.name));
  }
}
