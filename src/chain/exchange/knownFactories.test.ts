import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fromHex } from "../encoding/hex.ts";
import { exchangeOfCode } from "./knownFactories.ts";

const FACTORY = fromHex(`0x${"ab".repeat(20)}`);

function readJson<T>(specifier: string): T {
  return JSON.parse(readFileSync(new URL(import.meta.resolve(specifier)), "utf8")) as T;
}

test("factories with the published code have the names of their exchanges, wherever they are", () => {
  const v2 = readJson<{ evm: { deployedBytecode: { object: string } } }>("@uniswap/v2-core/build/UniswapV2Factory.json")
    .evm.deployedBytecode.object;
  const v3 = readJson<{ deployedBytecode: string }>(
    "@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json",
  ).deployedBytecode;
  // One immutable is the factory's own address, compiled as zeros.
  const own = `7f${"0".repeat(24)}${"ab".repeat(20)}`;
  const placed = v3.replace(/7f0{64}/g, own);
  const v4 = readJson<{ deployedBytecode: { object: string } }>("@uniswap/v4-core/out/PoolManager.sol/PoolManager.json")
    .deployedBytecode.object;

  assert.equal(exchangeOfCode(fromHex(`0x${v2}`), FACTORY), "Uniswap V2");
  assert.equal(exchangeOfCode(fromHex(placed), FACTORY), "Uniswap V3");
  assert.equal(exchangeOfCode(fromHex(v4.replace(/7f0{64}/g, own)), FACTORY), "Uniswap V4");
  assert.equal(exchangeOfCode(fromHex(placed), fromHex(`0x${"ac".repeat(20)}`)), undefined, "the address of another");
  assert.equal(exchangeOfCode(fromHex(`0x${v2.slice(0, -2)}33`), FACTORY), undefined);
  assert.equal(exchangeOfCode(new Uint8Array(0), FACTORY), undefined);
});
