import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const OPTIONS = ["--runtime", "stub", "-O3", "--noAssert", "--enable", "simd", "--use", "abort="];

/** Programs of wasm/ and the modules of the sources that contain what they compile to. */
export const WASM_MODULES = [
  { source: "wasm/index.ts", target: "src/chain/scan/scannerModule.ts", name: "SCANNER_MODULE" },
  { source: "wasm/blake2.ts", target: "src/node/precompiles/blake2Module.ts", name: "BLAKE2_MODULE" },
];

/** Compiles AssemblyScript to the text of the module that contains the WebAssembly. */
export async function compileWasm({ source, name }) {
  const { default: asc } = await import("assemblyscript/asc");
  let code;
  const { error, stderr } = await asc.main([source, "--outFile", "module.wasm", ...OPTIONS], {
    readFile: (file, base) => {
      try {
        return readFileSync(fileURLToPath(new URL(`../${base}/${file}`, import.meta.url)), "utf8");
      } catch {
        return null;
      }
    },
    writeFile: (_file, bytes) => {
      code = bytes;
    },
    listFiles: () => [],
  });
  if (error) throw new Error(stderr.toString(), { cause: error });
  const text = Buffer.from(code).toString("base64");
  return `/** The WebAssembly of ${source}, written by \`npm run wasm\`. */\nexport const ${name} =\n  "${text}";\n`;
}

/** Writes all to the sources. */
export async function writeWasm() {
  for (const module of WASM_MODULES) {
    writeFileSync(new URL(`../${module.target}`, import.meta.url), await compileWasm(module));
  }
}
