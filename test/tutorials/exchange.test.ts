import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import type { InterfaceAbi } from "ethers";
import { Contract, ContractFactory, JsonRpcProvider, parseEther } from "ethers";
import { freePort } from "../support/postgresServer.ts";
import { findAnvil, RealNode } from "../support/realNode.ts";
import { runTutorial } from "../support/tutorial.ts";

const anvil = findAnvil();
const skip = typeof anvil === "string" ? anvil : false;
const require = createRequire(import.meta.url);

interface Built {
  readonly abi: InterfaceAbi;
  readonly bytecode: string;
}

const built = (name: string) => require(`@uniswap/v2-core/build/${name}.json`) as Built;

/** The exchange of the tutorial: a factory, a dollar, another token and their pair. */
async function deployExchange(url: string): Promise<void> {
  const provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1, polling: true, pollingInterval: 20 });
  const signer = await provider.getSigner(0);
  const send = async (contract: Contract, method: string, ...args: unknown[]) =>
    (await contract.getFunction(method).send(...args)).wait();
  const deploy = async (name: string, ...args: unknown[]) => {
    const { abi, bytecode } = built(name);
    const deployed = await new ContractFactory(abi, bytecode, signer).deploy(...args);
    await deployed.waitForDeployment();
    return new Contract(await deployed.getAddress(), abi, signer);
  };
  const factory = await deploy("UniswapV2Factory", signer.address);
  const [dollar, token] = [
    await deploy("ERC20", parseEther("1000000")),
    await deploy("ERC20", parseEther("1000000")),
  ] as const;
  await send(factory, "createPair", dollar.target, token.target);
  const at = await factory.getFunction("getPair").staticCall(dollar.target, token.target);
  await send(dollar, "transfer", at, parseEther("2000"));
  await send(token, "transfer", at, parseEther("1000"));
  await send(new Contract(at, built("UniswapV2Pair").abi, signer), "mint", signer.address);
  provider.destroy();
}

test("an exchange is indexed and priced as the tutorial says", { skip }, async (t) => {
  const node = await RealNode.start(t, anvil as Exclude<typeof anvil, string>);
  await deployExchange(node.url);
  const replace = { "127.0.0.1:8545": new URL(node.url).host, 6770: String(await freePort()) };

  assert.equal(await runTutorial(t, "exchange", { replace, shown: /^npm / }), 3);
});
