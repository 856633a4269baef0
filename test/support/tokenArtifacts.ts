import { createRequire } from "node:module";
import type { Abi } from "viem";
import { encodeDeployData, encodeFunctionData } from "viem";
import type { Hex } from "../../src/chain/encoding/hex.ts";

interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
  readonly deployedBytecode: Hex;
}

const load = (name: string) =>
  createRequire(import.meta.url)(`@openzeppelin/contracts/build/contracts/${name}.json`) as Artifact;

const ERC20 = load("ERC20PresetFixedSupply");
const ERC721 = load("ERC721PresetMinterPauserAutoId");
const ERC1155 = load("ERC1155PresetMinterPauser");

export const coins = {
  code: ERC20.deployedBytecode,
  deploy: (owner: Hex, supply: bigint) => encodeDeployData({ ...ERC20, args: ["Coin", "COIN", supply, owner] }),
  transfer: (to: Hex, amount: bigint) => encodeFunctionData({ ...ERC20, functionName: "transfer", args: [to, amount] }),
  burn: (amount: bigint) => encodeFunctionData({ ...ERC20, functionName: "burn", args: [amount] }),
  balanceOf: (holder: Hex) => encodeFunctionData({ ...ERC20, functionName: "balanceOf", args: [holder] }),
};

export const pictures = {
  deploy: () => encodeDeployData({ ...ERC721, args: ["Picture", "PIC", "ipfs://"] }),
  mint: (to: Hex) => encodeFunctionData({ ...ERC721, functionName: "mint", args: [to] }),
};

export const goods = {
  deploy: () => encodeDeployData({ ...ERC1155, args: ["ipfs://"] }),
  mint: (to: Hex, ids: readonly bigint[], amounts: readonly bigint[]) =>
    encodeFunctionData({ ...ERC1155, functionName: "mintBatch", args: [to, ids, amounts, "0x"] }),
};
