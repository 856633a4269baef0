import { createRequire } from "node:module";
import { join } from "node:path";
import type { VerifyingNetwork } from "./verification.ts";

/** hardhat-verify 2's reading of a response. */
interface RunResult {
  readonly message: string;
  isFailure(): boolean;
  isSuccess(): boolean;
}

/** The classes of hardhat-verify 2 for explorers, as far as tests use them. */
export interface Explorer2 {
  isVerified(address: string): Promise<boolean>;
  verify(address: string, input: string, name: string, compiler: string, constructorArgs: string): Promise<RunResult>;
  getVerificationStatus(guid: string): Promise<RunResult>;
  getContractUrl(address: string): string;
}

interface ChainConfig {
  readonly network: string;
  readonly chainId: number;
  readonly urls: { readonly apiURL: string; readonly browserURL: string };
}

interface ExplorerClass<Settings extends readonly unknown[]> {
  getCurrentChainConfig(network: string, node: object, customChains: readonly ChainConfig[]): Promise<ChainConfig>;
  fromChainConfig(...settings: Settings): Explorer2;
}

const load = createRequire(join(import.meta.dirname, "../hardhat2/package.json"));
const { Etherscan } = load("@nomicfoundation/hardhat-verify/etherscan") as {
  Etherscan: ExplorerClass<[keys: Readonly<Record<string, string>>, chain: ChainConfig]>;
};
const { Blockscout } = load("@nomicfoundation/hardhat-verify/blockscout") as {
  Blockscout: ExplorerClass<[chain: ChainConfig]>;
};

export async function openExplorers({ url, node }: VerifyingNetwork): Promise<Record<string, Explorer2>> {
  const custom = [{ network: "oriel", chainId: 968, urls: { apiURL: `${url}/api`, browserURL: `${url}/` } }];
  return {
    Etherscan: Etherscan.fromChainConfig(
      { oriel: "any" },
      await Etherscan.getCurrentChainConfig("oriel", node, custom),
    ),
    Blockscout: Blockscout.fromChainConfig(await Blockscout.getCurrentChainConfig("oriel", node, custom)),
  };
}
