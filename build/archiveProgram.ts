import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readLock } from "./runtimePackages.ts";
import { stageProgram } from "./stageProgram.ts";

export const PLATFORMS = ["linux-x64", "linux-arm64"] as const;

export type Platform = (typeof PLATFORMS)[number];

/** Order, owners and times are the same in every run, so that equal programs make equal archives. */
const REPRODUCIBLE = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0"];

/** Writes `oriel-PLATFORM.tar.gz` with what is in dist/. */
export function archiveProgram(platform: Platform, directory: string, compressor = "gzip -9"): string {
  const archive = resolve(directory, `oriel-${platform}.tar.gz`);
  const work = mkdtempSync(join(tmpdir(), "oriel-archive-"));
  try {
    stageProgram(join(work, "oriel"), findNode(platform, work));
    mkdirSync(directory, { recursive: true });
    execFileSync("tar", [...REPRODUCIBLE, "-I", compressor, "-cf", archive, "-C", work, "oriel"]);
    return archive;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The installed package with this platform's Node, or a copy that npm fetches and the lockfile vouches for. */
function findNode(platform: Platform, work: string): string {
  const name = `node-${platform}`;
  const installed = `node_modules/${name}`;
  if (existsSync(join(installed, "bin/node"))) return installed;
  const { version, integrity } = readLock()[installed]!;
  execFileSync("npm", ["pack", "--silent", "--pack-destination", work, `${name}@${version}`], { stdio: "pipe" });
  const packed = join(work, `${name}-${version}.tgz`);
  const hash = `sha512-${createHash("sha512").update(readFileSync(packed)).digest("base64")}`;
  if (hash !== integrity) throw new Error(`${name}@${version} is not the package in the lockfile`);
  execFileSync("tar", ["-xzf", packed, "-C", work]);
  return join(work, "package");
}
