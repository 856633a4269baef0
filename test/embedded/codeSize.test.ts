import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import { ask } from "../support/networkProgram.ts";
import { urlsOf } from "../support/networks.ts";
import { runProgram, temporaryDirectory } from "../support/program.ts";

/** The size of contracts of which so many bytes were to be deployed, on a chain that is started with some flags. */
async function deploy(t: TestContext, flags: readonly string[], sizes: readonly number[]): Promise<number[]> {
  const program = runProgram(t, ["start", "--port", "0", "--no-demo", "--data", temporaryDirectory(t), ...flags]);
  const { testnet } = (await urlsOf(program)) as { testnet: string };
  const [from] = await ask<Hex[]>(testnet, "eth_accounts");
  const found: number[] = [];
  for (const size of sizes) {
    const data = `0x62${size.toString(16).padStart(6, "0")}5ff3`;
    const hash = await ask<Hex>(testnet, "eth_sendTransaction", { from, data, gas: "0xf42400" });
    const { contractAddress } = await ask<{ contractAddress: Hex }>(testnet, "eth_getTransactionReceipt", hash);
    found.push((await ask<Hex>(testnet, "eth_getCode", contractAddress, "latest")).length / 2 - 1);
  }
  return found;
}

/** Sizes to deploy, and what becomes of them. */
const CASES: readonly (readonly [flags: readonly string[], sizes: readonly number[], deployed: readonly number[]])[] = [
  [
    ["--code-size-limit", "30000"],
    [30_000, 30_001],
    [30_000, 0],
  ],
  [["--disable-code-size-limit"], [70_000], [70_000]],
  [["--allow-unlimited-contract-size"], [70_000], [70_000]],
];

for (const [flags, sizes, deployed] of CASES) {
  test(`a chain started with ${flags.join(" ")} has contracts of ${deployed[0]} bytes`, async (t) => {
    assert.deepEqual(await deploy(t, flags, sizes), deployed);
  });
}
