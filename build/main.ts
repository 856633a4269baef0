import { buildProgram } from "./buildProgram.ts";

/** `npm run build`: the program as the npm package has it. */
await buildProgram("dist");
