import { spawnSync } from "node:child_process";

export const CAN_LIMIT = spawnSync("prlimit", ["--version"]).error === undefined;

/** Lets no file that a process writes grow beyond so many bytes, as on a disk that is full; without a number, ends that. */
export function limitFiles(bytes?: number, pid = process.pid): void {
  const { status, stderr } = spawnSync("prlimit", [`--pid=${pid}`, `--fsize=${bytes ?? "unlimited"}:`]);
  if (status !== 0) throw new Error(`prlimit: ${stderr}`);
}
