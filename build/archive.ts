import { archiveProgram, PLATFORMS } from "./archiveProgram.ts";
import { buildProgram } from "./buildProgram.js";

/** `npm run archive -- PLATFORM…`: the program with its own Node, for every platform if none is named. */
const named = process.argv.slice(2);
const unknown = named.find((name) => !PLATFORMS.some((platform) => platform === name));
if (unknown !== undefined) throw new Error(`${unknown} is none of ${PLATFORMS.join(", ")}`);
await buildProgram("dist");
for (const platform of PLATFORMS) {
  if (named.length === 0 || named.includes(platform)) console.log(archiveProgram(platform, "release"));
}
