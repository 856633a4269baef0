import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

/** Writes `oriel-VERSION.tgz` with what is in dist/. */
export function packProgram(directory) {
  mkdirSync(directory, { recursive: true });
  const options = ["--silent", "--ignore-scripts", "--pack-destination", directory];
  const name = execFileSync("npm", ["pack", ...options], { encoding: "utf8" }).trim();
  return join(directory, name);
}
