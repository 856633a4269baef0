import { fileURLToPath } from "node:url";
import { PROGRAM_FLAGS, runNode } from "./node.js";
import { findProgram } from "./program.js";

/** `npm start` in a checkout: builds the program first, unless `npm ci --omit=dev` left esbuild out. */
const root = fileURLToPath(new URL("../", import.meta.url));
await import("../build/buildProgram.js").then(({ buildProgram }) => buildProgram("dist")).catch(() => {});
runNode([...PROGRAM_FLAGS, findProgram(root), "start", ...process.argv.slice(2)]);
