import { writeScanner } from "./buildScanner.js";

/** `npm run wasm`: the WebAssembly that decodes blocks, from its source. */
await writeScanner();
