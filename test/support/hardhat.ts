import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Hex } from "../../src/chain/encoding/hex.ts";

type Value = bigint | number | Hex;

/** The helpers of hardhat-network-helpers, as far as tests use them. */
export interface NetworkHelpers {
  readonly time: {
    increase(seconds: number): Promise<number>;
    increaseTo(time: number): Promise<void>;
    latest(): Promise<number>;
    latestBlock(): Promise<number>;
    setNextBlockTimestamp(time: number): Promise<void>;
  };
  clearSnapshots(): void;
  dropTransaction(hash: Hex): Promise<boolean>;
  getStorageAt(address: Hex, index: Value, block?: Value | "latest" | "pending"): Promise<Hex>;
  impersonateAccount(address: Hex): Promise<void>;
  loadFixture<T>(fixture: () => Promise<T>): Promise<T>;
  mine(blocks?: number, options?: { interval?: number }): Promise<void>;
  mineUpTo(number: number): Promise<void>;
  setBalance(address: Hex, balance: Value): Promise<void>;
  setBlockGasLimit(gas: Value): Promise<void>;
  setCode(address: Hex, code: Hex): Promise<void>;
  setCoinbase(address: Hex): Promise<void>;
  setNextBlockBaseFeePerGas(fee: Value): Promise<void>;
  setNonce(address: Hex, nonce: Value): Promise<void>;
  setPrevRandao(value: Value): Promise<void>;
  setStorageAt(address: Hex, index: Value, value: Value): Promise<void>;
  stopImpersonatingAccount(address: Hex): Promise<void>;
  takeSnapshot(): Promise<{ restore(): Promise<void> }>;
}

export interface HardhatConnection {
  readonly provider: { request(call: { method: string; params?: unknown[] }): Promise<unknown> };
  readonly networkHelpers: NetworkHelpers;
  readonly ethers: typeof import("ethers") & {
    readonly provider: import("ethers").JsonRpcProvider;
    getSigners(): Promise<import("ethers").JsonRpcSigner[]>;
  };
  readonly viem: {
    getPublicClient(): Promise<import("viem").PublicClient>;
    getWalletClients(): Promise<(import("viem").WalletClient & { account: import("viem").Account })[]>;
    getTestClient(): Promise<import("viem").TestClient>;
  };
  close(): Promise<void>;
}

interface Hardhat {
  readonly network: { connect(name: string): Promise<HardhatConnection> };
}

const project = fileURLToPath(new URL("../nodes", import.meta.url));
const { resolve } = createRequire(join(project, "package.json"));

/** Their types say of modules what this project's compiler does not accept. */
async function load<T>(name: string, file: string): Promise<T> {
  const folder = dirname(resolve(`${name}/package.json`));
  return (await import(pathToFileURL(join(folder, "dist", "src", file)).href)) as T;
}

/** Hardhat itself with its network helpers and its plugins for ethers and viem, connected to a node by HTTP. */
export async function connectHardhat(url: string): Promise<HardhatConnection> {
  type Create = (config: object, globals: object, root: string) => Promise<Hardhat>;
  const { createHardhatRuntimeEnvironment: create } = await load<{ createHardhatRuntimeEnvironment: Create }>(
    "hardhat",
    "hre.js",
  );
  const plugins = ["hardhat-network-helpers", "hardhat-ethers", "hardhat-viem"].map((name) =>
    load<{ default: unknown }>(`@nomicfoundation/${name}`, "index.js"),
  );
  const networks = { embedded: { type: "http", url, chainType: "l1" } };
  const loaded = (await Promise.all(plugins)).map((plugin) => plugin.default);
  const hardhat = await create({ plugins: loaded, networks }, {}, project);
  return await hardhat.network.connect("embedded");
}
