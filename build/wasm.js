import { writeWasm } from "./buildWasm.js";

/** `npm run wasm`: the WebAssembly of the program, from its source. */
await writeWasm();
