import { fileURLToPath } from "node:url";
import { PROGRAM_FLAGS, runNode } from "./node.js";
import { findProgram } from "./program.js";

/** `npm start` in a checkout: builds the program first, unless `npm ci --omit=dev` left esbuild out. */
const root = fileURLToPath(new URL("../", import.meta.url));
try {
  const { buildProgram } = await import("../build/buildProgram.js");
  await buildProgram("dist");
} catch (error) {
  if (error.code !== "ERR_MODULE_NOT_FOUND") console.error(`oriel runs from its sources, not built: ${error.message}`);
}
runNode([...PROGRAM_FLAGS, findProgram(root), "start", ...process.argv.slice(2)]);
