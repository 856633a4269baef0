import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const OPTIONS = ["--runtime", "stub", "-O3", "--noAssert", "--enable", "simd", "--use", "abort="];

const TARGET = new URL("../src/chain/scan/scannerModule.ts", import.meta.url);

/** Compiles the AssemblyScript in wasm/ to the text of the module that contains the WebAssembly. */
export async function compileScanner() {
  const { default: asc } = await import("assemblyscript/asc");
  let code;
  const { error, stderr } = await asc.main(["wasm/index.ts", "--outFile", "scanner.wasm", ...OPTIONS], {
    readFile: (name, base) => {
      try {
        return readFileSync(fileURLToPath(new URL(`../${base}/${name}`, import.meta.url)), "utf8");
      } catch {
        return null;
      }
    },
    writeFile: (_name, bytes) => {
      code = bytes;
    },
    listFiles: () => [],
  });
  if (error) throw new Error(stderr.toString(), { cause: error });
  const text = Buffer.from(code).toString("base64");
  return `/** The WebAssembly of wasm/, written by \`npm run wasm\`. */\nexport const SCANNER_MODULE =\n  "${text}";\n`;
}

/** Writes it to the sources. */
export async function writeScanner() {
  writeFileSync(TARGET, await compileScanner());
}
