import { buildProgram } from "./buildProgram.js";
import { packProgram } from "./packProgram.js";

/** `npm run package`: the npm package. */
await buildProgram("dist");
console.log(packProgram("release"));
