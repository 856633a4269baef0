import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Hex } from "../chain/encoding/hex.ts";
import { messageOf } from "../std/values.ts";
import own from "./contracts/contracts.json" with { type: "json" };

const PACKAGED = {
  WETH9: "@uniswap/v2-periphery/build/WETH9.json",
  DeflatingERC20: "@uniswap/v2-periphery/build/DeflatingERC20.json",
  UniswapV2Factory: "@uniswap/v2-core/build/UniswapV2Factory.json",
  UniswapV2Pair: "@uniswap/v2-core/build/UniswapV2Pair.json",
  UniswapV2Router02: "@uniswap/v2-periphery/build/UniswapV2Router02.json",
  UniswapV3Factory: "@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json",
  UniswapV3Pool: "@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json",
  NonfungiblePositionManager:
    "@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json",
  SwapRouter: "@uniswap/v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json",
  QuoterV2: "@uniswap/v3-periphery/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json",
  ERC721: "@openzeppelin/contracts/build/contracts/ERC721PresetMinterPauserAutoId.json",
  ERC1155: "@openzeppelin/contracts/build/contracts/ERC1155PresetMinterPauser.json",
  ERC1967Proxy: "@openzeppelin/contracts/build/contracts/ERC1967Proxy.json",
} as const;

type ContractName = keyof typeof PACKAGED | keyof typeof own.contracts;

export type Artifacts = Readonly<Record<ContractName, Hex>>;

const require = createRequire(import.meta.url);

/** Returns an error message if the optional packages are not installed. */
export function loadArtifacts(
  find = require.resolve,
): { readonly artifacts: Artifacts } | { readonly missing: string } {
  try {
    const packaged = Object.entries(PACKAGED).map(([name, path]) => [name, readBytecode(find(path))]);
    const ours = Object.entries(own.contracts).map(([name, { bytecode }]) => [name, bytecode]);
    return { artifacts: Object.fromEntries([...packaged, ...ours]) as Artifacts };
  } catch (error) {
    const [reason] = messageOf(error).split("\n");
    return { missing: `its contracts cannot be loaded: ${reason}` };
  }
}

function readBytecode(path: string): Hex {
  const { bytecode } = JSON.parse(readFileSync(path, "utf8")) as { bytecode: string };
  return bytecode.startsWith("0x") ? (bytecode as Hex) : `0x${bytecode}`;
}
