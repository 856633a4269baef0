import type { SolidityJsonInput, SourcifyChain } from "@ethereum-sourcify/lib-sourcify";
import type { Solc } from "./soljson.ts";
import { loadSoljson } from "./soljson.ts";
import { parseContractName, SourceFault, standardInput } from "./standardInput.ts";
import type {
  ContractName,
  StandardInput,
  VerificationFailure,
  VerificationTask,
  VerifiedContract,
} from "./verification.ts";

type Sourcify = typeof import("@ethereum-sourcify/lib-sourcify");
type Output = {
  readonly contracts?: Record<string, Record<string, unknown>>;
  readonly errors?: readonly CompilerError[];
};
type CompilerError = { readonly severity?: string; readonly formattedMessage?: string; readonly message?: string };

/** `version` includes the commit. */
interface LoadedCompiler {
  readonly solc: Solc;
  readonly version: string;
}

class VerificationError extends Error {
  readonly reason: VerificationFailure["reason"];

  constructor(reason: VerificationFailure["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

function loadCompiler({ soljson, compiler }: VerificationTask): LoadedCompiler {
  const solc = loadSoljson(soljson);
  const [, version, commit] = /^(\d+\.\d+\.\d+)(?:-[^+]*)?\+commit\.([\da-f]{8})/.exec(solc.version()) ?? [];
  const isSame = version === compiler.version && (compiler.commit === undefined || compiler.commit === commit);
  if (!isSame) {
    throw new VerificationError("compiler", `the release ${compiler.version} of solc was built from commit ${commit}`);
  }
  return { solc, version: `${version}+commit.${commit}` };
}

type Compile = (version: string, input: StandardInput) => Promise<Output>;

/**
 * Compiles the contract alone: solc generates code for the contracts that are selected and for those they create. The
 * library would select all, of which a project may have hundreds.
 */
function compileOnly({ path = "*", name }: ContractName, outputs: readonly string[], solc: Solc): Compile {
  const outputSelection = { [path]: { [name]: outputs } };
  const compile = rememberOutputs(solc);
  return (version, input) => compile(version, { ...input, settings: { ...input.settings, outputSelection } });
}

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
    throw new VerificationError(
      "source",
      (error.formattedMessage ?? error.message ?? "the source does not compile").trim(),
    );
  }
}

function findPath({ contracts = {} }: Output, { path, name }: ContractName): string {
  const paths = Object.keys(contracts).filter((file) => Object.hasOwn(contracts[file] ?? {}, name));
  const found = path === undefined ? paths : paths.filter((file) => file === path);
  if (found.length === 1 && found[0] !== undefined) return found[0];
  const place = path === undefined ? "the source" : path;
  throw new VerificationError(
    "source",
    found.length === 0 ? `${place} has no contract ${name}` : `several files have a contract ${name}`,
  );
}

/** The chain interface lib-sourcify expects, backed only by data read beforehand. */
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

/** Compiles a contract and compares the result with the deployed code. Errors are classified by `explain`. */
export async function verifyContract(task: VerificationTask): Promise<VerifiedContract> {
  const contract = parseContractName(task.contract);
  const input = standardInput(task.source, contract);
  // A CommonJS module: names of it are not exported by the build.
  const { default: sourcify } = (await import("@ethereum-sourcify/lib-sourcify")) as unknown as { default: Sourcify };
  sourcify.setLibSourcifyLogger({ logLevel: 0, setLevel: () => {}, log: () => {} } as never);
  const { solc, version } = loadCompiler(task);
  const compile = compileOnly(contract, sourcify.DEFAULT_OUTPUT_SELECTION["*"]["*"], solc);
  const path = findPath(await compile("", input), contract);
  const compiled = { task, input, compiler: version, path, name: contract.name };
  const found = await compare(sourcify, compile, compiled);
  const { libraries, ...unlinked } = input.settings as StandardInput["settings"];
  if (found.matches.runtime === "perfect" || libraries === undefined) return found;
  // Hardhat passes libraries that were linked after compilation, which the metadata does not contain.
  const other = { ...compiled, input: { ...input, settings: unlinked } };
  const without = await compare(sourcify, compile, other).catch(() => found);
  if (without.matches.runtime !== "perfect") return found;
  return { ...without, libraries: { ...found.libraries, ...without.libraries } };
}

async function compare(sourcify: Sourcify, compile: Compile, compiled: Compiled): Promise<VerifiedContract> {
  const { task, compiler, path, name } = compiled;
  const input = compiled.input as unknown as SolidityJsonInput;
  const compilation = new sourcify.SolidityCompilation({ compile } as never, compiler, input, { path, name });
  const creatorHash = task.creation?.input === undefined ? undefined : task.creation.transaction;
  const verification = new sourcify.Verification(compilation, chainOf(task), task.address, creatorHash);
  await verification.verify();
  return verifiedContract(compiled, verification.export());
}

type Exported = ReturnType<InstanceType<Sourcify["Verification"]>["export"]>;

interface Compiled {
  readonly task: VerificationTask;
  readonly input: StandardInput;
  readonly compiler: string;
  readonly path: string;
  readonly name: string;
}

function verifiedContract(
  { task, input, compiler, path, name }: Compiled,
  { status, transformations, compilation }: Exported,
): VerifiedContract {
  const match = matchOf(status.runtimeMatch);
  // A constructor can return arbitrary code, such as another contract's, which would then get this source.
  if (match === undefined) throw new VerificationError("mismatch", "the constructor of the source returns other code");
  expectOwnAddress(task.code, compilation.runtimeBytecode ?? "0x");
  const output = compilation.contractCompilerOutput;
  const { runtime, creation } = transformations;
  return {
    name,
    path,
    language: input.language,
    format: task.source.format,
    compiler,
    abi: output.abi ?? [],
    settings: compilation.jsonInput.settings,
    sources: compilation.sources,
    matches: { runtime: match, creation: matchOf(status.creationMatch) },
    constructorArguments: creation.values.constructorArguments ?? runtime.values.constructorArguments,
    libraries: { ...linkedLibraries(input), ...creation.values.libraries, ...runtime.values.libraries },
    runtime: {
      object: compilation.runtimeBytecode ?? "0x",
      linkReferences: output.evm.deployedBytecode.linkReferences ?? {},
      immutableReferences: compilation.immutableReferences ?? {},
    },
    documentation: { user: output.userdoc ?? {}, developer: output.devdoc ?? {} },
  };
}

/** A library starts with PUSH20 of its own address, which solc fills with zeros. */
const OWN_ADDRESS = `0x73${"00".repeat(20)}`;

/** lib-sourcify accepts any first 21 bytes of a library: the PUSH20 opcode and the address. */
function expectOwnAddress(code: string, compiled: string): void {
  if (!compiled.startsWith(OWN_ADDRESS) || code.startsWith(OWN_ADDRESS.slice(0, 4))) return;
  throw new VerificationError("mismatch", "the code does not begin as that of a library");
}

/** Libraries linked by the compiler. */
function linkedLibraries({ settings }: StandardInput): Record<string, string> {
  const files = Object.entries((settings.libraries ?? {}) as Record<string, Record<string, string>>);
  return Object.fromEntries(
    files.flatMap(([file, own]) =>
      Object.entries(own).map(([name, address]) => [file === "" ? name : `${file}:${name}`, address.toLowerCase()]),
    ),
  );
}

const matchOf = (match: string | null) => (match === "perfect" || match === "partial" ? match : undefined);

/** Compilers quote the offending line, however long. */
const MAX_REASON_LENGTH = 2000;

/** Classifies an error of the library or the compiler. */
export function explain(error: unknown): VerificationFailure {
  const { reason, message } = reasonOf(error);
  return { reason, message: message.length > MAX_REASON_LENGTH ? `${message.slice(0, MAX_REASON_LENGTH)}…` : message };
}

function reasonOf(error: unknown): VerificationFailure {
  if (error instanceof VerificationError) return { reason: error.reason, message: error.message };
  if (error instanceof SourceFault) return { reason: "source", message: error.message };
  const { code, name, message } = error as {
    readonly code?: string;
    readonly name?: string;
    readonly message?: string;
  };
  // Thrown by WebAssembly.
  if (name === "RuntimeError") return { reason: "limit", message: `the compiler crashed: ${message}` };
  const known = code === undefined ? undefined : REASONS[code];
  if (known !== undefined) return { reason: "mismatch", message: known };
  return { reason: "source", message: `the compiler cannot be used with this source: ${message ?? String(error)}` };
}

/** Messages for the library's error codes. */
const REASONS: Readonly<Record<string, string>> = {
  no_match: "the source compiles to other code than is deployed",
  bytecode_length_mismatch: "the source compiles to code of another length than is deployed",
  compiled_bytecode_is_zero: "the contract compiles to no code: it is abstract, or an interface",
  extra_file_input_bug:
    "the source compiles to other code than is deployed though its metadata are the same; with the optimizer, solc needs the very files it had",
};
