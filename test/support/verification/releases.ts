import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { parseCompilerVersion } from "../../../src/verify/compilerVersion.ts";
import type { VerificationTask } from "../../../src/verify/verification.ts";
import type { CorpusContract } from "./corpus.ts";
import { inputOf } from "./corpus.ts";

const require = createRequire(import.meta.url);

/** Where packages of solc are installed, as `--compilers` takes it. */
export const INSTALLED = dirname(dirname(require.resolve("solc/package.json")));

/** The releases that are installed for tests, oldest first. */
export const RELEASES = ["0.4.26", "0.5.17", "0.6.12", "0.7.6", "0.8.37"] as const;
export type Release = (typeof RELEASES)[number];

type References = Readonly<Record<string, readonly { readonly start: number; readonly length: number }[]>>;

export interface CompiledOutput {
  /** Yul has none. */
  readonly abi?: readonly never[];
  readonly evm: {
    readonly bytecode: { readonly object: string; readonly linkReferences: Readonly<Record<string, References>> };
    readonly deployedBytecode: { readonly object: string };
  };
}

interface Output {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, CompiledOutput>>>>;
}

interface Solc {
  version(): string;
  compile(input: string): string;
}

const loaded = new Map<string, Solc>();

export function soljsonOf(release: Release): string {
  const own = JSON.parse(readFileSync(join(INSTALLED, "solc", "package.json"), "utf8")) as { version: string };
  return join(INSTALLED, own.version === release ? "solc" : `solc-${release}`, "soljson.js");
}

function load(release: Release): Solc {
  const known = loaded.get(release);
  if (known !== undefined) return known;
  const solc = (require("solc/wrapper") as (module: unknown) => Solc)(require(soljsonOf(release)));
  loaded.set(release, solc);
  return solc;
}

/** Input of a sandbox, without the creation code. */
export function taskOf(contract: CorpusContract, address: string, code: string): VerificationTask {
  const { release, path, name } = contract;
  return {
    soljson: soljsonOf(release),
    compiler: parseCompilerVersion(versionOf(release)),
    source: { format: "standard-json", text: JSON.stringify(inputOf(contract)) },
    contract: `${path}:${name}`,
    chainId: 968,
    address,
    code,
    creation: undefined,
  };
}

/** As tools write it: `v0.8.28+commit.7893614a`. */
export function versionOf(release: Release): string {
  return `v${load(release)
    .version()
    .replace(/\.Emscripten.*$/, "")}`;
}

const outputs = new Map<string, string>();

/** Compiles the standard JSON input of a project, each once; answers the contracts by file and name. */
export function compileWith(release: Release, input: { readonly settings: object }): NonNullable<Output["contracts"]> {
  const outputSelection = { "*": { "*": ["abi", "evm.bytecode", "evm.deployedBytecode"] } };
  const text = JSON.stringify({ ...input, settings: { ...input.settings, outputSelection } });
  const output = outputs.get(release + text) ?? load(release).compile(text);
  outputs.set(release + text, output);
  const { contracts = {}, errors = [] } = JSON.parse(output) as Output;
  for (const { severity, formattedMessage } of errors) if (severity === "error") throw new Error(formattedMessage);
  return contracts;
}
