import assert from "node:assert/strict";
import { test } from "node:test";
import type { Abi } from "viem";
import {
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  getContractAddress,
  keccak256,
  multicall3Abi,
  parseAbi,
  parseTransaction,
  recoverTransactionAddress,
  toHex,
} from "viem";
import { DevelopmentNode } from "../../../test/support/developmentNode.ts";
import { temporaryDirectory } from "../../../test/support/program.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { PREDEPLOYS } from "../genesis.ts";
import { CREATE2_DEPLOYER_ADDRESS } from "../systemContracts.ts";
import deployments from "./deployments.json" with { type: "json" };

const MULTICALL3: Hex = "0xcA11bde05977b3631167028862bE2a173976CA11";
const PERMIT2: Hex = "0x000000000022D473030F116dDEE9F6B43aC78BA3";

test("the deployments lead to the addresses that the contracts have everywhere", async () => {
  const transaction = deployments.multicall3.transaction as Hex;
  const { salt, initCode } = deployments.permit2;
  const from = await recoverTransactionAddress({ serializedTransaction: transaction as never });

  assert.equal(keccak256(transaction), "0x07471adfe8f4ec553c1199f495be97fc8be8e0626ae307281c22534460184ed1");
  assert.equal(getContractAddress({ from, nonce: BigInt(parseTransaction(transaction).nonce ?? 0) }), MULTICALL3);
  const create2 = { from: CREATE2_DEPLOYER_ADDRESS, salt: salt as Hex, bytecode: initCode as Hex } as const;
  assert.equal(getContractAddress({ opcode: "CREATE2", ...create2 }), PERMIT2);
});

test("Multicall3 and Permit2 are there from the first block where they are asked for, as if they had been deployed", async (t) => {
  const directory = temporaryDirectory(t);
  const plain = await DevelopmentNode.open();
  let node = await DevelopmentNode.open({ directory, predeploys: PREDEPLOYS });
  const codes = (chain: DevelopmentNode) =>
    Promise.all([MULTICALL3, PERMIT2].map((address) => chain.ask<Hex>("eth_getCode", address, "latest")));
  assert.deepEqual(await codes(plain), ["0x", "0x"]);
  const found = await codes(node);
  await node.close();
  node = await DevelopmentNode.open({ directory });
  t.after(() => Promise.all([node.close(), plain.close()]));
  assert.deepEqual(await codes(node), found, "after a restart without the setting, too");

  await plain.ask("hardhat_setBalance", "0x05f32b3cc3888453ff71b01135b34ff8e41263f2", toHex(10n ** 18n));
  await plain.ask("eth_sendRawTransaction", deployments.multicall3.transaction);
  const data = `${deployments.permit2.salt}${deployments.permit2.initCode.slice(2)}`;
  await plain.send({ to: CREATE2_DEPLOYER_ADDRESS, data, gas: 5_000_000n });
  assert.deepEqual(await codes(plain), found);
  for (const address of ["0x05f32b3cc3888453ff71b01135b34ff8e41263f2", MULTICALL3, PERMIT2, CREATE2_DEPLOYER_ADDRESS]) {
    const nonces = [node, plain].map((chain) => chain.ask("eth_getTransactionCount", address, "latest"));
    assert.deepEqual(await nonces[0], await nonces[1], address);
  }
});

test("they do what they are for", async (t) => {
  const node = await DevelopmentNode.open({ predeploys: ["permit2", "multicall3"] });
  t.after(() => node.close());
  const call = async (to: Hex, abi: Abi, functionName: string, ...args: unknown[]) => {
    const result = await node.ask<Hex>("eth_call", { to, data: encodeFunctionData({ abi, functionName, args }) });
    return decodeFunctionResult({ abi, functionName, data: result });
  };
  const domain = parseAbi(["function DOMAIN_SEPARATOR() view returns (bytes32)"]);
  const separator = await call(PERMIT2, domain, "DOMAIN_SEPARATOR");

  const calls = [
    {
      target: MULTICALL3,
      allowFailure: false,
      callData: encodeFunctionData({ abi: parseAbi(["function getChainId()"]) }),
    },
    { target: PERMIT2, allowFailure: false, callData: encodeFunctionData({ abi: domain }) },
    { target: PERMIT2, allowFailure: true, callData: encodeFunctionData({ abi: erc20Abi, functionName: "decimals" }) },
  ];
  const results = (await call(MULTICALL3, multicall3Abi, "aggregate3", calls)) as {
    success: boolean;
    returnData: Hex;
  }[];

  const types = ["bytes32", "bytes32", "uint256", "address"].map((type) => ({ type }));
  const hashOf = (text: string) => keccak256(toHex(text));
  const type = hashOf("EIP712Domain(string name,uint256 chainId,address verifyingContract)");
  assert.equal(separator, keccak256(encodeAbiParameters(types, [type, hashOf("Permit2"), 968n, PERMIT2])));
  assert.deepEqual(
    results.map(({ success, returnData }) => [success, returnData]),
    [
      [true, toHex(968, { size: 32 })],
      [true, separator],
      [false, "0x"],
    ],
  );
});
