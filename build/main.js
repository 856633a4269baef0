import { buildProgram } from "./buildProgram.js";

/** `npm run build`: the program as the npm package has it. */
await buildProgram("dist");
