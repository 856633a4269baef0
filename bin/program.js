import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** The main file of the program in a folder: that of its build, unless a source or a package is newer. */
export function findProgram(root) {
  const [source, built] = [join(root, "src/main.ts"), join(root, "dist/main.js")];
  if (!existsSync(source)) return built;
  if (!existsSync(built)) return source;
  const { mtimeMs } = statSync(built);
  const isNewer = (file) => statSync(file).mtimeMs > mtimeMs;
  const sources = readdirSync(join(root, "src"), { recursive: true }).map((name) => join(root, "src", name));
  return [join(root, "package-lock.json"), ...sources].some(isNewer) ? source : built;
}
