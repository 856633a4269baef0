import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import type { Abi } from "viem";
import { ChainOracle } from "./support/chainOracle.ts";
import { demonstrated } from "./support/demonstrated.ts";
import type { Comparison } from "./support/expectServed.ts";
import { expectServed } from "./support/expectServed.ts";
import { FollowedChain } from "./support/followedChain.ts";
import { readPlainChain } from "./support/plainChain.ts";
import type { Traces } from "./support/plainState.ts";
import { readPlainState } from "./support/plainState.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { listsOf } from "./support/site.ts";
import { until } from "./support/waiting.ts";

/** A past in which there is everything. */
const USUAL = { seed: 35, blocks: 82 };
const SEED = firstSeed(USUAL.seed);
/** The first 41 deploy what there is. */
const BLOCKS = Number(process.env.ORIEL_CASES ?? USUAL.blocks);

/** Published packages of contracts that the demonstration deploys. */
const PUBLISHED = [
  "@uniswap/v2-periphery/build/WETH9.json",
  "@uniswap/v2-core/build/UniswapV2Factory.json",
  "@uniswap/v2-core/build/UniswapV2Pair.json",
  "@uniswap/v2-periphery/build/UniswapV2Router02.json",
  "@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json",
  "@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json",
  "@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json",
  "@uniswap/v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json",
  "@openzeppelin/contracts/build/contracts/ERC721PresetMinterPauserAutoId.json",
  "@openzeppelin/contracts/build/contracts/ERC1155PresetMinterPauser.json",
  "@openzeppelin/contracts/build/contracts/ERC1967Proxy.json",
];

function publishedAbis(): Abi[] {
  const { resolve } = createRequire(import.meta.url);
  return PUBLISHED.map((path) => (JSON.parse(readFileSync(resolve(path), "utf8")) as { abi: Abi }).abi);
}

test(`4.1 every response about a demonstration of ${BLOCKS} blocks matches its node, also after a reorg (seed ${SEED})`, async (t) => {
  const { node, demonstration } = await demonstrated({ seed: String(SEED), blocks: BLOCKS });
  await demonstration.buildPast();
  const followed = await FollowedChain.open(t, { chain: node });
  const past = Number(await node.ask("eth_blockNumber"));
  const snapshot = await node.ask("evm_snapshot");
  for (let block = 0; block < 5; block++) await demonstration.live();
  followed.start();
  const comparison = { followed, random: new Random(SEED), abis: publishedAbis(), traces: new Map() };
  const { oracle, counts } = await compare(comparison, `seed ${SEED}`);

  t.diagnostic(JSON.stringify(counts));
  await node.ask("evm_revert", snapshot);
  await node.send({ value: 5n });
  for (let block = 0; block < 3; block++) await demonstration.live();
  const after = await compare(comparison, `seed ${SEED} after a reorg`);

  assert.notEqual(after.oracle.chain.at(past + 1)!.hash, oracle.chain.at(past + 1)!.hash);
  if (SEED !== USUAL.seed || BLOCKS !== USUAL.blocks) return;
  const kinds = new Set(oracle.transactions.map(({ tx, receipt }) => (receipt.status === "0x0" ? "failed" : tx.type)));
  assert.deepEqual([...kinds].sort(), ["0x0", "0x1", "0x2", "0x3", "0x4", "failed"]);
  assert.ok(counts.is_copy! > 0 && counts.reverted! > 0, "a copy of a token, and a revert with a reason");
});

interface Compared extends Pick<Comparison, "random" | "abis"> {
  readonly followed: FollowedChain;
  readonly traces: Traces;
}

/** Compares all responses once the index is at the head and has observed every token. */
async function compare({ followed, random, abis, traces }: Compared, label: string) {
  await followed.settle();
  const ask = <T>(method: string, ...params: unknown[]) => followed.chain.ask<T>(method, ...params);
  const chain = await readPlainChain(ask);
  const api = listsOf((path) => followed.get(`/api/v2/${path}`));
  const oracle = await ChainOracle.read(chain, await readPlainState(ask, chain, traces));
  for (const token of oracle.tokens.ledger.keys()) {
    const read = async () => (await api.fetch(`tokens/${token}`)).body.observed_block_number;
    await until(`${token} was observed`, async () => (await read()) !== null);
  }
  return { oracle, counts: await expectServed({ api, oracle, random, abis, label }) };
}
