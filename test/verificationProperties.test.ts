import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { test } from "node:test";
import { AbiCoder } from "ethers";
import { bodyLength } from "../src/chain/contract/compiledCode.ts";
import type { VerificationTask } from "../src/verify/verification.ts";
import { explain, verifyContract } from "../src/verify/verifyContract.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import type { CorpusContract } from "./support/verification/corpus.ts";
import { inputOf } from "./support/verification/corpus.ts";
import type { CompiledOutput } from "./support/verification/releases.ts";
import { compileWith, INSTALLED, taskOf } from "./support/verification/releases.ts";

const PACKAGE = "@openzeppelin/contracts";
const FILES = globSync("**/*.sol", { cwd: join(INSTALLED, PACKAGE) })
  .map((file) => `${PACKAGE}/${file.replaceAll("\\", "/")}`)
  .sort();

const CASES = Number(process.env.ORIEL_CASES ?? 2);
/** Characters of all sources of a contract in a short run: some take a minute. */
const MAX_SOURCE = process.env.ORIEL_CASES === undefined ? 30_000 : Number.POSITIVE_INFINITY;
const SEED = firstSeed();

/** A file with all that it imports. */
function sourcesOf(path: string, sources: Record<string, string> = {}): Record<string, string> {
  if (path in sources) return sources;
  const text = readFileSync(join(INSTALLED, path), "utf8");
  sources[path] = text;
  for (const [, imported] of text.matchAll(/^import\s[^"]*"([^"]+)";/gm)) {
    sourcesOf(imported!.startsWith(".") ? posix.join(dirname(path), imported!) : imported!, sources);
  }
  return sources;
}

/** The IR is left to longer runs, as some of it takes half a minute. */
function settingsOf(random: Random): { readonly settings: object; readonly isHashed: boolean } {
  const bytecodeHash = random.pick(["ipfs", "ipfs", "bzzr1", "none"]);
  const appendCBOR = bytecodeHash !== "none" || random.chance(0.5);
  const settings = {
    optimizer: { enabled: random.chance(0.7), runs: random.pick([0, 1, 200, 1_000_000]) },
    evmVersion: random.pick(["london", "paris", "shanghai", "cancun"]),
    viaIR: process.env.ORIEL_CASES !== undefined && random.chance(0.15),
    metadata: { bytecodeHash, appendCBOR, useLiteralContent: random.chance(0.3) },
    ...(random.chance(0.2) && { remappings: ["oz/=@openzeppelin/contracts/"] }),
    ...(random.chance(0.2) && { debug: { revertStrings: "strip" } }),
  };
  return { settings, isHashed: bytecodeHash !== "none" };
}

interface Place {
  readonly start: number;
  readonly length: number;
}

interface Deployment {
  readonly code: Buffer;
  readonly creation: string;
  readonly arguments: string;
  readonly holes: readonly Place[];
  readonly libraries: Readonly<Record<string, string>>;
}

/** Fills in what a deployment does: addresses of libraries, immutables, a library's own address, arguments. */
function deploy(random: Random, { abi, evm }: CompiledOutput): Deployment {
  const { deployedBytecode, bytecode } = evm as unknown as Record<string, Bytecode>;
  const libraries: Record<string, string> = {};
  const link = ({ object, linkReferences }: Bytecode): [Buffer, Place[]] => {
    let text = object;
    const holes: Place[] = [];
    for (const [file, names] of Object.entries(linkReferences)) {
      for (const [name, places] of Object.entries(names)) {
        libraries[`${file}:${name}`] ??= `0x${Buffer.from(random.bytes(20)).toString("hex")}`;
        for (const { start, length } of places) {
          text = text.slice(0, start * 2) + libraries[`${file}:${name}`]!.slice(2) + text.slice((start + length) * 2);
          holes.push({ start, length });
        }
      }
    }
    return [Buffer.from(text, "hex"), holes];
  };
  const [code, holes] = link(deployedBytecode!);
  for (const places of Object.values(deployedBytecode!.immutableReferences ?? {})) {
    const value = random.bytes(32);
    for (const { start } of places) code.set(value, start);
    holes.push(...places);
  }
  if (code.subarray(0, 21).equals(OWN_ADDRESS)) {
    code.set(random.bytes(20), 1);
    holes.push({ start: 1, length: 20 });
  }
  const [created] = link(bytecode!);
  const given = argumentsOf(random, abi as unknown as readonly Entry[]);
  return { code, creation: `0x${created.toString("hex")}${given}`, arguments: given, holes, libraries };
}

interface Bytecode {
  readonly object: string;
  readonly linkReferences: Readonly<Record<string, Readonly<Record<string, readonly Place[]>>>>;
  readonly immutableReferences?: Readonly<Record<string, readonly Place[]>>;
}

const OWN_ADDRESS = Buffer.from(`73${"00".repeat(20)}`, "hex");

interface Entry {
  readonly type: string;
  readonly inputs?: readonly { readonly type: string }[];
}

function argumentsOf(random: Random, abi: readonly Entry[]): string {
  const types = (abi.find(({ type }) => type === "constructor")?.inputs ?? []).map(({ type }) => type);
  const some = (type: string): unknown => {
    if (type.endsWith("[]")) return Array.from({ length: random.int(4) }, () => some(type.slice(0, -2)));
    if (type === "string") return "ä".repeat(random.int(40));
    if (type === "bool") return random.chance(0.5);
    const size = type === "address" ? 20 : type.startsWith("bytes") ? Number(type.slice(5) || random.int(80)) : 1;
    const bytes = Buffer.from(random.bytes(size)).toString("hex");
    return type.includes("int") ? BigInt(`0x${bytes}`) % 64n : `0x${bytes}`;
  };
  return AbiCoder.defaultAbiCoder().encode(types, types.map(some)).slice(2);
}

/** Another byte outside of what a deployment decides, and of the metadata. */
function damage(random: Random, { code, holes }: Deployment): string {
  const inHole = (at: number) => holes.some(({ start, length }) => at >= start && at < start + length);
  const damaged = Buffer.from(code);
  const body = code.subarray(0, bodyLength(code));
  let at = random.int(body.length);
  while (inHole(at) || isInnerMetadata(body, at)) at = random.int(body.length);
  damaged[at] = damaged[at]! ^ (1 + random.int(255));
  return `0x${damaged.toString("hex")}`;
}

/** Whether a byte may belong to the metadata of a contract that this one creates. */
function isInnerMetadata(body: Buffer, at: number): boolean {
  const around = body.subarray(Math.max(0, at - 60), at + 60);
  return ["ipfs", "bzzr1", "solc"].some((word) => around.includes(word));
}

async function expectVerified(seed: number, path: string, random: Random): Promise<number> {
  const { settings, isHashed } = settingsOf(random);
  const project = { what: path, release: "0.8.37", settings, sources: sourcesOf(path), path } as const;
  const contract = (name: string): CorpusContract => ({ ...project, name, change: ["", ""] });
  const outputs = Object.entries(compileWith("0.8.37", inputOf(contract("")))[path] ?? {});
  const deployable = outputs.filter(([, { evm }]) => evm.bytecode.object !== "");
  for (const [name, output] of deployable) {
    const at = `seed ${seed}, ${path}:${name}, ${JSON.stringify(settings)}`;
    const deployment = deploy(random, output);
    const [address, sender] = [random.bytes(20), random.bytes(20)].map(
      (bytes) => `0x${Buffer.from(bytes).toString("hex")}`,
    );
    const plain = taskOf(contract(name), address!, `0x${deployment.code.toString("hex")}`);
    const creation = { input: deployment.creation, transaction: `0x${"11".repeat(32)}`, sender: sender! };
    const task: VerificationTask = random.chance(0.8) ? { ...plain, creation } : plain;

    const verified = await verifyContract(task).catch((error: unknown) =>
      assert.fail(`${at}: ${explain(error).message}`),
    );

    assert.equal(verified.matches.runtime, isHashed ? "perfect" : "partial", at);
    assert.deepEqual(verified.libraries, deployment.libraries, at);
    if (task.creation !== undefined)
      assert.equal(verified.constructorArguments?.slice(2) ?? "", deployment.arguments, at);
    await assert.rejects(
      verifyContract({ ...task, code: damage(random, deployment) }),
      (error) => explain(error).reason === "mismatch",
      at,
    );
  }
  return deployable.length;
}

test(`${CASES} contracts of OpenZeppelin verify under any settings, and not with one byte of code changed`, async () => {
  let verified = 0;
  for (let number = 0; verified < CASES; number++) {
    const random = new Random(SEED + number);
    const path = random.pick(FILES);
    if (Object.values(sourcesOf(path)).join("").length > MAX_SOURCE) continue;
    verified += await expectVerified(SEED + number, path, random);
  }
  console.log(`${verified} contracts, first seed ${SEED}`);
});
