import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { SourcedContract } from "../../src/demo/artifacts.ts";
import { readCompiled } from "../../src/demo/artifacts.ts";
import type { Compilation } from "../../src/demo/contractSources.ts";
import { COMPILATIONS, collectSources, readPackaged } from "../../src/demo/contractSources.ts";
import type { Scene } from "../../src/demo/scene/scene.ts";
import type { StoredResult } from "../../src/demo/verifiedScene.ts";
import { sourcedDeployments } from "../../src/demo/verifiedScene.ts";
import { Compilers } from "../../src/verify/compilers.ts";
import { parseCompilerVersion } from "../../src/verify/compilerVersion.ts";
import type { VerifiedContract } from "../../src/verify/verification.ts";
import { verifyInSandbox } from "../../src/verify/verifyInSandbox.ts";
import { demonstrated } from "./demonstrated.ts";

const FOLDER = resolve(import.meta.dirname, "../../src/demo/contracts");
export const PACKAGES = resolve(import.meta.dirname, "../../node_modules");

const VERIFIED = join(FOLDER, "verified.json");

function readSource({ package: name }: Compilation, path: string): string {
  const isOwn = name === undefined && !path.startsWith("@");
  return isOwn ? readFileSync(join(FOLDER, path), "utf8") : readPackaged(name, path);
}

/** Compiles and verifies the contracts of a built scene; the compilers may be fetched. */
export async function verifyDeployed(
  scene: Scene,
  readCode: (address: string) => Promise<string>,
  names: readonly SourcedContract[],
  compilers: Compilers,
): Promise<Map<SourcedContract, VerifiedContract>> {
  const found = new Map<SourcedContract, VerifiedContract>();
  for (const { address, contract, input } of sourcedDeployments(scene)) {
    if (found.has(contract) || !names.includes(contract)) continue;
    const compilation = COMPILATIONS[contract];
    const { path, name, settings } = compilation;
    const sources = collectSources((file) => readSource(compilation, file), path);
    const contents = Object.entries(sources).map(([file, content]) => [file, { content }]);
    const text = JSON.stringify({ language: "Solidity", sources: Object.fromEntries(contents), settings });
    const compiler = parseCompilerVersion(compilation.compiler);
    const { path: soljson } = await compilers.find(compiler);
    const source = { format: "standard-json" as const, text };
    const creation = { input, transaction: `0x${"11".repeat(32)}`, sender: `0x${"22".repeat(20)}` };
    const code = await readCode(address);
    const task = { soljson, compiler, source, contract: `${path}:${name}`, chainId: 968, address, code, creation };
    const outcome = await verifyInSandbox(task);
    if ("failure" in outcome) throw new Error(`${contract}: ${outcome.failure.message}`);
    found.set(contract, JSON.parse(outcome.record) as VerifiedContract);
  }
  return found;
}

function storedResult(contract: SourcedContract, verified: VerifiedContract): StoredResult {
  const { abi, constructorArguments: _, sources, runtime, ...result } = verified;
  const { object, ...references } = runtime;
  const compiled = readCompiled(contract);
  const isPackaged = JSON.stringify(abi) === JSON.stringify(compiled.abi) && object === compiled.runtime;
  if (!isPackaged) console.warn(`${contract}: the package has another ABI or other code`);
  const isOwn = (path: string) => COMPILATIONS[contract].package === undefined && !path.startsWith("@");
  const texts = Object.entries(sources).map(([path, text]) => [path, isOwn(path) ? text : null]);
  return { ...result, sources: Object.fromEntries(texts), runtime: references };
}

async function writeVerified(): Promise<void> {
  const { node, demonstration } = await demonstrated({ blocks: 0 });
  await demonstration.buildPast();
  const compilers = new Compilers({
    cache: join(tmpdir(), "oriel-compilers"),
    directories: [PACKAGES],
    fetches: true,
  });
  const names = Object.keys(COMPILATIONS) as SourcedContract[];
  const readCode = (address: string) => node.ask<string>("eth_getCode", address, "latest");
  const verified = await verifyDeployed(demonstration.scene, readCode, names, compilers);
  await node.close();
  const results = names.map((name) => [name, storedResult(name, verified.get(name)!)]);
  writeFileSync(VERIFIED, `${JSON.stringify(Object.fromEntries(results), undefined, 2)}\n`);
}

if (import.meta.main) await writeVerified();
