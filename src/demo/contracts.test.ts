import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ARTIFACT, compileContracts } from "../../test/support/compileContracts.ts";
import { fromHex, toHex } from "../chain/encoding/hex.ts";
import { keccak256 } from "../chain/hashing/keccak.ts";
import { loadArtifacts } from "./artifacts.ts";

test("the compiled contracts are what their sources compile to (npm run contracts)", () => {
  assert.deepEqual(JSON.parse(readFileSync(ARTIFACT, "utf8")), compileContracts());
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
