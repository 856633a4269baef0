import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Json } from "../support/api.ts";
import { readSections } from "../support/markdown.ts";
import { startNetworks } from "../support/networks.ts";
import { makeTemporaryDirectory } from "../support/program.ts";
import type { CompiledContract, CompilerInput } from "../support/verification.ts";
import { COMPILER, VerifyingNetwork } from "../support/verification.ts";

const PROJECT = join(import.meta.dirname, "../hardhat");
const { resolve } = createRequire(import.meta.filename);
const HARDHAT = resolve("hardhat/package.json");
const CLI = join(dirname(HARDHAT), "dist", "src", "cli.js");

const { directory, remove } = makeTemporaryDirectory();
after(remove);
const { urls } = await startNetworks(after);
const network = new VerifyingNetwork(urls.testnet!);
after(() => network.close());

/** Runs hardhat in the project; answers what it printed. */
async function hardhat(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  const env = { ...process.env, OUTPUT_FOLDER: directory, EXPLORER_URL: network.url };
  const child = spawn(process.execPath, [CLI, ...args], { cwd: PROJECT, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const [code] = await once(child, "close");
  return { code: code as number, output };
}

interface Artifact extends CompiledContract {
  readonly buildInfoId: string;
  readonly linkReferences: Readonly<Record<string, Readonly<Record<string, readonly { readonly start: number }[]>>>>;
}

const artifactOf = (name: string): Artifact =>
  JSON.parse(readFileSync(join(directory, "artifacts", "contracts", `${name}.sol`, `${name}.json`), "utf8"));

/** Puts the address of its only library into a contract. */
function link({ bytecode, linkReferences, ...artifact }: Artifact, library: string): Artifact {
  let linked = bytecode;
  for (const { start } of Object.values(linkReferences).flatMap((file) => Object.values(file).flat())) {
    linked = linked.slice(0, 2 + start * 2) + library.slice(2) + linked.slice(2 + start * 2 + 40);
  }
  return { ...artifact, linkReferences, bytecode: linked };
}

let library: string;
let voucher: Artifact;
/** The contract that hardhat verified. */
let verified: string;
const ARGUMENTS = ["Voucher", "VOU", "1000"];

/** The tutorial that these tests run. */
const TUTORIAL = join(import.meta.dirname, "../../docs/tutorials/verification.md");
const section = readSections(TUTORIAL).get("hardhat")!;
const [build, verify] = section.code("sh")[1]!.trim().split("\n") as [string, string];
/** Arguments of a command of the tutorial. */
const argumentsOf = (command: string, address = "") =>
  command
    .replace(/^npx hardhat /, "")
    .replace("ADDRESS", address)
    .split(" ");

before(async () => {
  const { code, output } = await hardhat(...argumentsOf(build));
  assert.equal(code, 0, output);
  library = await network.deploy(artifactOf("Numerals"));
  voucher = link(artifactOf("Voucher"), library);
});

describe("a project of hardhat 3", () => {
  test("verifies a contract with constructor arguments, a library and imports, with either provider", async () => {
    const address = await network.deploy(voucher, ...ARGUMENTS);

    const first = await hardhat(...argumentsOf(verify, address));
    assert.deepEqual([first.code, argumentsOf(verify, address).slice(-3)], [0, ARGUMENTS]);
    assert.ok(first.output.includes(section.code("text")[0]!.trim()), first.output);
    const [shown] = readSections(TUTORIAL).get("Check")!.code("json");
    const checked = await network.rest(`/smart-contracts/${address}`);
    for (const [field, value] of Object.entries(JSON.parse(shown!))) assert.deepEqual(checked[field], value, field);
    verified = address;
    const source = await network.rest(`/smart-contracts/${address}`);
    assert.deepEqual(
      [source.name, source.is_fully_verified, source.compiler_version, source.file_path],
      ["Voucher", true, COMPILER, "project/contracts/Voucher.sol"],
    );
    const paths = (source.additional_sources as Json[]).map(({ file_path }) => String(file_path));
    assert.ok(
      paths.some((path) => path.endsWith("token/ERC20/ERC20.sol")),
      paths.join(),
    );
    const [{ name, address_hash }] = source.external_libraries as [Json];
    assert.deepEqual([name, String(address_hash).toLowerCase()], ["Numerals", library]);
    const values = (source.decoded_constructor_args as [string, object][]).map(([value]) => value);
    assert.deepEqual(values, ARGUMENTS);

    // A contract with the same code is verified already, so --force is needed.
    const other = await network.deploy(voucher, "Other", "OTH", "7");
    const [again, forced] = await Promise.all([
      hardhat("verify", "etherscan", "--network", "oriel", address, ...ARGUMENTS),
      hardhat("verify", "etherscan", "--force", "--network", "oriel", other, "Other", "OTH", "7"),
    ]);
    assert.match(again.output, /has already been verified on Oriel/);
    assert.equal(again.code, 0);
    assert.match(forced.output, /Contract verified successfully on Oriel!/);
    assert.equal((await network.rest(`/smart-contracts/${other}`)).is_fully_verified, true);
  });
});

test("the tutorial configures hardhat as this project is", async () => {
  Object.assign(process.env, { OUTPUT_FOLDER: directory, EXPLORER_URL: network.url });
  const shown = section.code("js")[0]!.replace(/^import .*$/m, "const hardhatVerify = undefined;");
  const load = async (url: string) => ((await import(url)) as { default: Json }).default;

  const tutorial = await load(`data:text/javascript,${encodeURIComponent(shown)}`);
  const own = await load(pathToFileURL(join(PROJECT, "hardhat.config.js")).href);

  const explorerOf = ({ chainDescriptors }: Json) =>
    ((chainDescriptors as Record<string, Json>)[968]!.blockExplorers as Json).blockscout;
  assert.deepEqual(tutorial.networks, own.networks);
  assert.deepEqual(explorerOf(tutorial), explorerOf(own));
});

interface Explorer {
  isVerified(address: string): Promise<boolean>;
  verify(submission: object): Promise<string>;
  pollVerificationStatus(guid: string, address: string, name: string): Promise<{ success: boolean; message: string }>;
}

type ExplorerClass = new (options: object) => Explorer;

describe("what hardhat-verify 3 knows as an end", async () => {
  const folder = join(dirname(resolve("@nomicfoundation/hardhat-verify/package.json")), "dist", "src", "internal");
  const load = async (file: string, name: string) =>
    ((await import(pathToFileURL(join(folder, file)).href)) as Record<string, ExplorerClass>)[name]!;
  const place = { url: network.url, apiUrl: `${network.url}/api` };
  const etherscan = new (await load("etherscan.js", "Etherscan"))({ ...place, chainId: 968, apiKey: "any" });
  const blockscout = new (await load("blockscout.js", "Blockscout"))(place);

  const submissionOf = (contractAddress: string, change = (content: string) => content) => {
    const build = join(directory, "artifacts", "build-info", `${voucher.buildInfoId}.json`);
    const { input } = JSON.parse(readFileSync(build, "utf8")) as { input: CompilerInput };
    const [path, { content }] = Object.entries(input.sources).find(([file]) => file.endsWith("Voucher.sol"))!;
    const sources = { ...input.sources, [path]: { content: change(content) } };
    const settings = { ...input.settings, libraries: { "project/contracts/Numerals.sol": { Numerals: library } } };
    return {
      contractAddress,
      compilerInput: { ...input, sources, settings },
      contractName: `${path}:Voucher`,
      compilerVersion: COMPILER,
      constructorArguments: "",
    };
  };
  const code = (number: number) => (error: unknown) => String((error as Error).message).startsWith(`HHE${number}`);

  const explorers = [etherscan, blockscout];

  test("a contract that is verified is already", async () => {
    const address = verified;
    for (const explorer of explorers) {
      assert.equal(await explorer.isVerified(address), true);
      await assert.rejects(explorer.verify(submissionOf(address)), code(80022));
    }
  });

  test("another source fails", async () => {
    const wrong = (content: string) => content.replace("Numerals.half(balanceOf(msg.sender))", "cap");
    const address = await network.deploy(voucher, "Wrong", "VOU", "5");
    const outcomes = explorers.map(async (explorer) => {
      const guid = await explorer.verify(submissionOf(address, wrong));
      return explorer.pollVerificationStatus(guid, address, "Voucher");
    });
    for (const { success, message } of await Promise.all(outcomes)) {
      assert.deepEqual([success, message], [false, "Fail - Unable to verify"]);
    }
  });

  test("an address without code and an unknown id are errors of their own", async () => {
    const nobody = `0x${"12".repeat(20)}`;
    for (const explorer of explorers) {
      await assert.rejects(explorer.verify(submissionOf(nobody)), code(80021));
      await assert.rejects(explorer.pollVerificationStatus("unknown", nobody, "Voucher"), code(80024));
    }
  });
});
