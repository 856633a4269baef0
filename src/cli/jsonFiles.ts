import { closeSync, fstatSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ChainError } from "../chain/error.ts";
import { messageOf } from "../std/values.ts";

export const MAX_FILE = 64 << 20;
export const MAX_FILES = 100_000;

/** Build output of a whole project, and dependencies. */
const OTHERS = new Set(["build-info", "node_modules"]);

interface FoundFile {
  /** A file, or a folder that cannot be read. */
  readonly file: string;
  readonly reason?: string;
}

/** Fails early with a message for the user. */
export function expectFolder(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) throw new ChainError("not_found", `there is no folder ${folder}`);
  if (!found.isDirectory()) throw new ChainError("not_found", `${folder} is no folder`);
}

/** Walks a folder for JSON files. Symbolic links are not followed. */
export function* jsonFilesIn(folder: string): Generator<FoundFile> {
  let scanned = 0;
  const left = [folder];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    const { files, folders, reason } = readFolder(at);
    if (reason !== undefined) yield { file: at, reason };
    for (const below of folders.reverse()) left.push(below);
    for (const file of files) {
      if (++scanned > MAX_FILES) {
        throw new ChainError(
          "limit_exceeded",
          `${folder} has more than ${MAX_FILES} JSON files; name the folder of artifacts`,
        );
      }
      yield { file };
    }
  }
}

function readFolder(path: string) {
  try {
    const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    const isOurs = (name: string) => !name.startsWith(".") && !OTHERS.has(name);
    const isFile = (name: string) => name.endsWith(".json") && !name.endsWith(".dbg.json");
    return {
      files: entries.filter((entry) => entry.isFile() && isFile(entry.name)).map(({ name }) => join(path, name)),
      folders: entries.filter((entry) => entry.isDirectory() && isOurs(entry.name)).map(({ name }) => join(path, name)),
    };
  } catch (error) {
    return { files: [], folders: [], reason: messageOf(error) };
  }
}

export function readText(file: string): string {
  const descriptor = openSync(file, "r");
  try {
    const { size } = fstatSync(descriptor);
    if (size > MAX_FILE) throw new ChainError("limit_exceeded", `it is larger than ${MAX_FILE >> 20} MiB`);
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}
