import type { Artifact } from "../chain/contract/artifact.ts";
import { parseArtifact } from "../chain/contract/artifact.ts";
import { asChainError } from "../chain/error.ts";
import { jsonFilesIn, readText } from "./jsonFiles.ts";

/** Neither content nor reason if the file is not an artifact. */
interface ScannedFile {
  readonly file: string;
  readonly artifact?: Artifact;
  readonly reason?: string;
}

/** Walks a folder for artifacts. */
export function* artifactsIn(folder: string): Generator<ScannedFile> {
  for (const found of jsonFilesIn(folder)) yield found.reason === undefined ? scanFile(found.file) : found;
}

function scanFile(file: string): ScannedFile {
  try {
    const artifact = parseArtifact(readText(file), file);
    return artifact === undefined ? { file } : { file, artifact };
  } catch (error) {
    return { file, reason: asChainError(error).message };
  }
}
