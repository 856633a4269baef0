import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ARTIFACT, compileContracts } from "../../test/support/compileContracts.ts";
import { demonstrated } from "../../test/support/demonstrated.ts";
import { PACKAGES, verifyDeployed } from "../../test/support/verifyContracts.ts";
import { parseArtifact } from "../chain/contract/artifact.ts";
import { codeKeys } from "../chain/contract/compiledCode.ts";
import { fromHex, toHex } from "../chain/encoding/hex.ts";
import { keccak256 } from "../chain/hashing/keccak.ts";
import { Compilers } from "../verify/compilers.ts";
import type { SourcedContract } from "./artifacts.ts";
import { loadArtifacts } from "./artifacts.ts";
import { COMPILATIONS } from "./contractSources.ts";
import { readDemonstratedContracts } from "./demonstratedContracts.ts";
import { sourcedDeployments } from "./verifiedScene.ts";

test("the compiled contracts are what their sources compile to (npm run contracts)", () => {
  assert.deepEqual(JSON.parse(readFileSync(ARTIFACT, "utf8")), compileContracts());
});

/** Other compilers are not installed, and take a minute for all contracts. */
const COMPILERS = process.env.ORIEL_COMPILERS;
const VERIFIED: readonly SourcedContract[] =
  COMPILERS === undefined ? ["Wallet", "Factory"] : (Object.keys(COMPILATIONS) as SourcedContract[]);

test(`stored results are what the verifier gives for ${VERIFIED.join(", ")}`, async (t) => {
  const { node, demonstration } = await demonstrated({ blocks: 0 });
  t.after(() => node.close());
  await demonstration.buildPast();
  const { scene } = demonstration;
  const readCode = (address: string) => node.ask<string>("eth_getCode", address, "latest");
  const compilers = new Compilers({ cache: COMPILERS ?? PACKAGES, directories: [PACKAGES], fetches: false });

  const { verified, artifacts } = await readDemonstratedContracts(node.node.context.chain, scene);
  const recomputed = await verifyDeployed(scene, readCode, VERIFIED, compilers);

  for (const [name, record] of recomputed) {
    const { address } = sourcedDeployments(scene).find(({ contract }) => contract === name)!;
    const stored = verified.find((contract) => toHex(contract.address) === address)!;
    assert.deepEqual<unknown>(JSON.parse(stored.outcome.record), record, name);
    assert.equal(record.matches.runtime, "perfect");
  }
  assert.equal(recomputed.size, VERIFIED.length);
  assert.deepEqual(
    new Set(sourcedDeployments(scene).map(({ contract }) => contract)),
    new Set(Object.keys(COMPILATIONS)),
  );
  for (const { code, outcome } of verified) {
    const { compiled, name } = parseArtifact(outcome.artifact, "")!;
    assert.deepEqual(codeKeys(code, compiled!.pattern).exact, codeKeys(compiled!.code, compiled!.pattern).exact, name);
  }
  assert.equal(artifacts.length, 5);
});

test("routers reckon with the pools that the factories make", () => {
  const loaded = loadArtifacts();
  assert.ok("artifacts" in loaded);
  const { artifacts } = loaded;
  const hashOf = (name: "UniswapV2Pair" | "UniswapV3Pool") => toHex(keccak256(fromHex(artifacts[name]))).slice(2);

  assert.ok(artifacts.UniswapV2Factory.includes(artifacts.UniswapV2Pair.slice(2)));
  assert.ok(artifacts.UniswapV2Router02.includes(hashOf("UniswapV2Pair")));
  assert.ok(artifacts.UniswapV3Factory.includes(artifacts.UniswapV3Pool.slice(2)));
  for (const name of ["NonfungiblePositionManager", "SwapRouter", "QuoterV2"] as const) {
    assert.ok(artifacts[name].includes(hashOf("UniswapV3Pool")), name);
  }
});

test("without the packages there are no contracts, and it is said which is missing", () => {
  const find = Object.assign(
    (path: string): string => {
      throw new Error(`Cannot find module '${path}'\nRequire stack: ...`);
    },
    { paths: () => null },
  );

  assert.deepEqual(loadArtifacts(find), {
    missing: "its contracts cannot be loaded: Cannot find module '@uniswap/v2-periphery/build/WETH9.json'",
  });
});
