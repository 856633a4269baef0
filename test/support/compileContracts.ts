import { globSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";

interface Compiled {
  readonly abi: readonly unknown[];
  readonly bytecode: string;
  readonly deployedBytecode: string;
}

export interface CompiledContracts {
  readonly compiler: string;
  readonly settings: object;
  /** By name; each from the file of that name. */
  readonly contracts: Readonly<Record<string, Compiled>>;
}

interface Solc {
  version(): string;
  compile(input: string, readers: { import: (path: string) => { contents: string } }): string;
}

interface Evm {
  readonly bytecode: { readonly object: string };
  readonly deployedBytecode: { readonly object: string };
}

interface Output {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Readonly<Record<string, Readonly<Record<string, { abi: unknown[]; evm: Evm }>>>>;
}

const FOLDER = resolve(import.meta.dirname, "../../src/demo/contracts");

export const ARTIFACT = join(FOLDER, "contracts.json");

const SETTINGS = { evmVersion: "prague", optimizer: { enabled: true, runs: 200 } };

const require = createRequire(import.meta.url);

/** Compiles the contracts of the demonstration that come from no package. */
export function compileContracts(): CompiledContracts {
  const solc = require("solc") as Solc;
  const files = globSync("*.sol", { cwd: FOLDER }).sort();
  const content = (file: string) => readFileSync(join(FOLDER, file), "utf8");
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(files.map((file) => [file, { content: content(file) }])),
    settings: {
      ...SETTINGS,
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] } },
    },
  };
  const readers = { import: (path: string) => ({ contents: readFileSync(require.resolve(path), "utf8") }) };
  const output = JSON.parse(solc.compile(JSON.stringify(input), readers)) as Output;
  const errors = output.errors?.filter(({ severity }) => severity === "error") ?? [];
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"));
  const contracts = files.map((file) => {
    const name = basename(file, ".sol");
    const { abi, evm } = output.contracts[file]![name]!;
    const { bytecode, deployedBytecode } = evm;
    return [name, { abi, bytecode: `0x${bytecode.object}`, deployedBytecode: `0x${deployedBytecode.object}` }];
  });
  return { compiler: solc.version(), settings: SETTINGS, contracts: Object.fromEntries(contracts) };
}

if (import.meta.main) writeFileSync(ARTIFACT, `${JSON.stringify(compileContracts(), undefined, 2)}\n`);
