import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes a directory and those that it is in. The recursive mkdir of Node never returns where a directory that exists answers
 * ENOENT, as /proc does.
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
