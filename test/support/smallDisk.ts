import { spawnSync } from "node:child_process";
import { chownSync, closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cleaning } from "./program.ts";

/** A file system of its own that a test fills. */
export interface SmallDisk {
  readonly path: string;
  fill(): void;
  /** Undoes `fill`. */
  free(): void;
}

/** Mounts one, which takes root; undefined where that is not allowed. `owner` may write there. */
export function mountSmallDisk(t: Cleaning, megabytes: number, owner?: number): SmallDisk | undefined {
  const path = mkdtempSync(join(tmpdir(), "oriel-disk-"));
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path]);
  t.after(() => {
    if (status === 0) spawnSync("umount", ["--lazy", path]);
    rmdirSync(path);
  });
  if (status !== 0) return undefined;
  if (owner !== undefined) chownSync(path, owner, owner);
  const ballast = join(path, "ballast");
  return {
    path,
    fill: () => {
      const file = openSync(ballast, "w");
      for (const size of [1 << 20, 4096]) writeUntilFull(file, Buffer.alloc(size));
      closeSync(file);
    },
    free: () => rmSync(ballast),
  };
}

function writeUntilFull(file: number, bytes: Buffer): void {
  try {
    for (;;) if (writeSync(file, bytes) < bytes.length) return;
  } catch (error) {
    if ((error as { code?: string }).code !== "ENOSPC") throw error;
  }
}
