import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Creates a directory and its parents. Node's recursive mkdir never returns if an existing directory answers ENOENT, as
 * /proc does.
 */
export function makeDirectory(path: string): void {
  const whole = resolve(path);
  const missing: string[] = [];
  for (let at = whole; !existsSync(at); at = dirname(at)) missing.push(at);
  if (missing.length === 0) missing.push(whole);
  for (const directory of missing.reverse()) {
    try {
      mkdirSync(directory);
    } catch (error) {
      if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) throw error;
    }
  }
}
