import { execFile } from "node:child_process";
import { hash, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { ChainError } from "../chain/error.ts";
import { makeDirectory } from "../std/makeDirectory.ts";
import { readTarFile } from "./tar.ts";

const DEADLINE = 120_000;
const MAX_OUTPUT = 4 << 20;
const MAX_PACKAGE = 256 << 20;

const run = promisify(execFile);
const unzip = promisify(gunzip);

/** Fetches soljson and its digest into a directory; npm verifies the download. Returns the path. */
export async function fetchFromNpm(version: string, directory: string, signal?: AbortSignal): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "oriel-solc-"));
  try {
    const options = { cwd: folder, timeout: DEADLINE, maxBuffer: MAX_OUTPUT, killSignal: "SIGKILL", signal } as const;
    await run("npm", ["pack", `solc@${version}`, "--silent", "--ignore-scripts"], options);
    const archive = await unzip(await readFile(join(folder, `solc-${version}.tgz`)), {
      maxOutputLength: MAX_PACKAGE,
    });
    const soljson = readTarFile(archive, "package/soljson.js");
    if (soljson === undefined) throw new ChainError("not_found", "the package has no soljson.js");
    return await keep(soljson, directory, version);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes the digest first: a file without a digest was placed by the operator. */
async function keep(soljson: Buffer, directory: string, version: string): Promise<string> {
  makeDirectory(directory);
  const path = join(directory, `soljson-v${version}.js`);
  await writeFile(digestPath(path), hash("sha256", soljson));
  const part = `${path}.${randomUUID()}`;
  await writeFile(part, soljson);
  await rename(part, path);
  return path;
}

export const digestPath = (path: string): string => `${path}.sha256`;
