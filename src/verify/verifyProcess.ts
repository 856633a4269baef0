import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import type { SolidityJsonInput, SourcifyChain } from "@ethereum-sourcify/lib-sourcify";
import { parseContractName, SourceFault, standardInput } from "./standardInput.ts";
import type {
  ContractName,
  StandardInput,
  VerificationFailure,
  VerificationTask,
  VerifiedContract,
} from "./verification.ts";

/**
 * What a sandboxed process does: compiles a contract from its source and compares the result with what is on the chain.
 * Everything that it is given may be hostile. It prints one answer as JSON.
 */

const require = createRequire(import.meta.url);
// What the compiler or a library prints is not the answer.
const print = process.stdout.write.bind(process.stdout);
process.stdout.write = () => true;

type Sourcify = typeof import("@ethereum-sourcify/lib-sourcify");
type Solc = { version(): string; compile(input: string): string };
type Output = {
  readonly contracts?: Record<string, Record<string, unknown>>;
  readonly errors?: readonly CompilerError[];
};
type CompilerError = { readonly severity?: string; readonly formattedMessage?: string; readonly message?: string };

class Failure extends Error {
  readonly reason: VerificationFailure["reason"];

  constructor(reason: VerificationFailure["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

function loadCompiler({ soljson, compiler }: VerificationTask): Solc {
  const wrap = require("solc/wrapper") as (module: unknown) => Solc;
  const solc = wrap(require(soljson));
  const [, version, commit] = /^(\d+\.\d+\.\d+)(?:-[^+]*)?\+commit\.([\da-f]{8})/.exec(solc.version()) ?? [];
  const isSame = version === compiler.version && (compiler.commit === undefined || compiler.commit === commit);
  if (!isSame) {
    throw new Failure("compiler", `the release ${compiler.version} of solc was built from commit ${commit}`);
  }
  return solc;
}

type Compile = (version: string, input: unknown) => Promise<Output>;

/** Compiles each input once, however often it is asked for. */
function rememberOutputs(solc: Solc): Compile {
  const outputs = new Map<string, Output>();
  return async (_version, input) => {
    const text = JSON.stringify(input);
    const known = outputs.get(text);
    if (known !== undefined) return known;
    const output = JSON.parse(solc.compile(text)) as Output;
    expectCompiled(output);
    outputs.set(text, output);
    return output;
  };
}

function expectCompiled({ errors = [] }: Output): void {
  const error = errors.find(({ severity }) => severity === "error");
  if (error !== undefined) {
    throw new Failure("source", (error.formattedMessage ?? error.message ?? "the source does not compile").trim());
  }
}

/** The file of a contract that was named without it. */
async function findPath(compile: Compile, input: StandardInput, { path, name }: ContractName): Promise<string> {
  if (path !== undefined) return path;
  const settings = { ...input.settings, outputSelection: { "*": { "*": ["abi"] } } };
  const { contracts = {} } = await compile("", { ...input, settings });
  const paths = Object.keys(contracts).filter((file) => Object.hasOwn(contracts[file] ?? {}, name));
  if (paths.length === 1 && paths[0] !== undefined) return paths[0];
  const reason = paths.length === 0 ? "the source has no contract" : "several files have a contract";
  throw new Failure("source", `${reason} called ${name}`);
}

/** The chain as the library asks for it. All that it may know was read before. */
function chainOf({ chainId, code, creation }: VerificationTask): SourcifyChain {
  const chain = {
    chainId,
    getBytecode: async () => code,
    getTx: async () => ({ blockNumber: 0, from: creation?.sender }),
    getContractCreationBytecodeAndReceipt: async () => ({
      creationBytecode: creation?.input,
      txReceipt: { index: 0 },
    }),
  };
  return chain as unknown as SourcifyChain;
}

async function verify(task: VerificationTask): Promise<VerifiedContract> {
  const sourcify = require("@ethereum-sourcify/lib-sourcify") as Sourcify;
  sourcify.setLibSourcifyLogger({ logLevel: 0, setLevel: () => {}, log: () => {} } as never);
  const compile = rememberOutputs(loadCompiler(task));
  const contract = parseContractName(task.contract);
  const input = standardInput(task.source, contract);
  const path = await findPath(compile, input, contract);
  const { name } = contract;
  const { version, commit } = task.compiler;
  const spelled = commit === undefined ? version : `${version}+commit.${commit}`;
  const target = { path, name };
  const given = input as unknown as SolidityJsonInput;
  const compilation = new sourcify.SolidityCompilation({ compile } as never, spelled, given, target);
  const creatorHash = task.creation?.input === undefined ? undefined : task.creation.transaction;
  const verification = new sourcify.Verification(compilation, chainOf(task), task.address, creatorHash);
  await verification.verify();
  const { status, transformations, libraryMap, compilation: compiled } = verification.export();
  const output = compiled.contractCompilerOutput;
  const { runtime, creation } = transformations;
  return {
    name,
    path,
    language: input.language,
    format: task.source.format,
    compiler: spelled,
    abi: output.abi ?? [],
    settings: compiled.jsonInput.settings,
    sources: compiled.sources,
    matches: { runtime: matchOf(status.runtimeMatch), creation: matchOf(status.creationMatch) },
    constructorArguments: creation.values.constructorArguments ?? runtime.values.constructorArguments,
    libraries: { ...libraryMap.creation, ...libraryMap.runtime },
    runtime: {
      object: compiled.runtimeBytecode ?? "0x",
      linkReferences: output.evm.deployedBytecode.linkReferences ?? {},
      immutableReferences: compiled.immutableReferences ?? {},
    },
    documentation: { user: output.userdoc ?? {}, developer: output.devdoc ?? {} },
  };
}

const matchOf = (match: string | null) => (match === "perfect" || match === "partial" ? match : undefined);

/** Why a library or the compiler gave up, in words. */
function explain(error: unknown): VerificationFailure {
  if (error instanceof Failure) return { reason: error.reason, message: error.message };
  if (error instanceof SourceFault) return { reason: "source", message: error.message };
  const { code, message } = error as { readonly code?: string; readonly message?: string };
  const text = message ?? String(error);
  if (code === "no_match" || code === "bytecode_length_mismatch") return { reason: "mismatch", message: text };
  return { reason: code === "compiler_error" ? "source" : "mismatch", message: text };
}

async function main(): Promise<void> {
  const task = JSON.parse(await text(process.stdin)) as VerificationTask;
  const answer = await verify(task).then(
    (verified) => ({ verified }),
    (error: unknown) => ({ failure: explain(error) }),
  );
  print(JSON.stringify(answer), () => process.exit(0));
}

await main();
