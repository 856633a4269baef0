import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Hex } from "../chain/encoding/hex.ts";
import { messageOf } from "../std/values.ts";
import own from "./contracts/contracts.json" with { type: "json" };

/** Files of packages by contract. */
export const PACKAGED = {
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

export type ContractName = keyof typeof PACKAGED | keyof typeof own.contracts;

/** Creation code by name. */
export type Artifacts = Readonly<Record<ContractName, Hex>>;

/** Compiler output of a contract. */
export interface CompiledArtifact {
  readonly abi: readonly unknown[];
  /** Before immutables are set. */
  readonly runtime: Hex;
}

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

interface PackagedArtifact {
  readonly abi: readonly unknown[];
  readonly bytecode: string;
  /** As hardhat writes it; waffle has it in `evm`. */
  readonly deployedBytecode?: string;
  readonly evm?: { readonly deployedBytecode: { readonly object: string } };
}

const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8")) as PackagedArtifact;

const withPrefix = (code: string) => (code.startsWith("0x") ? (code as Hex) : (`0x${code}` as Hex));

const readBytecode = (path: string) => withPrefix(readJson(path).bytecode);

export function readCompiled(name: ContractName): CompiledArtifact {
  if (isOwn(name)) {
    const { abi, deployedBytecode } = own.contracts[name];
    return { abi, runtime: withPrefix(deployedBytecode) };
  }
  const { abi, deployedBytecode, evm } = readJson(require.resolve(PACKAGED[name]));
  return { abi, runtime: withPrefix(deployedBytecode ?? evm?.deployedBytecode.object ?? "") };
}

/** The packages of Uniswap V3 have no sources of the contracts, only of what they import. */
const UNSOURCED = [
  "UniswapV3Factory",
  "UniswapV3Pool",
  "NonfungiblePositionManager",
  "SwapRouter",
  "QuoterV2",
] as const;

export type SourcedContract = Exclude<ContractName, (typeof UNSOURCED)[number]>;

/** Artifacts without a source, as JSON. */
export const readUnsourced = () => UNSOURCED.map((name) => readFileSync(require.resolve(PACKAGED[name]), "utf8"));

const isOwn = (name: ContractName): name is keyof typeof own.contracts => Object.hasOwn(own.contracts, name);
