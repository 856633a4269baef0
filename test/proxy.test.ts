import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import { encodeDeployData, encodeFunctionData, parseAbi } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { ProxyContract } from "../src/chain/contract/proxy.ts";
import { PROXY_SLOTS, proxyOf, proxySlots } from "../src/chain/contract/proxy.ts";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { fromHex, toHex } from "../src/chain/encoding/hex.ts";
import { contractNamed, creationOf } from "./support/contracts.ts";
import { CHAIN_ID, DevelopmentNode, word } from "./support/developmentNode.ts";

/** Answers the word 42 to every call. */
const ANSWERING = creationOf("0x602a5f5260205ff3");

const CLONER = parseAbi(["constructor(address implementation)"]);
const CLONER_SOURCE = `
pragma solidity ^0.8.0;
import "@openzeppelin/contracts/proxy/Clones.sol";
contract Cloner {
  constructor(address implementation) {
    address clone = Clones.clone(implementation);
    assembly {
      extcodecopy(clone, 0, 0, extcodesize(clone))
      return(0, extcodesize(clone))
    }
  }
}`;

const SAFE_RUNTIME: Hex = `0x608060405273${"ff".repeat(20)}600054167fa619486e${"0".repeat(56)}60003514156050578060005260206000f35b3660008037600080366000845af43d6000803e60008114156070573d6000fd5b3d6000f3fe`;
const SAFE_BEFORE_MASTER_COPY: Hex = `0x608060405273${"ff".repeat(20)}600054163660008037600080366000845af43d6000803e6000811415603d573d6000fd5b3d6000f3fe`;

const ARGUMENTS = "c0ffee";
const PAID = "9e4ac34f21c619cefc926c8bd93b54bf5a39c7ab2127a895af1cc0691d7e3dff";

/** Programs that pass on calls to the address `a`, as they are on chains. */
const PROGRAMS: readonly [ProxyContract["type"], string, (a: string) => string][] = [
  ["eip1167", "EIP-1167", (a) => `363d3d373d3d3d363d73${a}5af43d82803e903d91602b57fd5bf3`],
  [
    "clone_with_immutable_arguments",
    "EIP-1167 with arguments",
    (a) => `363d3d373d3d3d363d73${a}5af43d82803e903d91602b57fd5bf3${ARGUMENTS}`,
  ],
  ["minimal_proxy", "0age", (a) => `3d3d3d3d363d3d37363d73${a}5af43d3d93803e602a57fd5bf3`],
  ["minimal_proxy", "EIP-7511", (a) => `365f5f375f5f365f73${a}5af43d5f5f3e5f3d91602a57fd5bf3`],
  ["minimal_proxy", "Solady with PUSH0", (a) => `5f5f365f5f37365f73${a}5af43d5f5f3e6029573d5ffd5b3d5ff3`],
  ["minimal_proxy", "Vyper", (a) => `366000600037611000600036600073${a}5af4602c57600080fd5b6110006000f3`],
  ["minimal_proxy", "Vyper's first", (a) => `366000600037611000600036600073${a}5af41558576110006000f3`],
  [
    "minimal_proxy",
    "one that tells when it is paid",
    (a) =>
      `36603057343d52307f830d2d700a97af574b186c80d40429385d24241565b08a7c559ba283a964d9b160203da23d3df35b3d3d3d3d363d3d37363d73${a}5af43d3d93803e605b57fd5bf3`,
  ],
  [
    "clone_with_immutable_arguments",
    "clones with arguments",
    (a) => `3d3d3d3d363d3d376100056037363936610005013d73${a}5af43d3d93803e603557fd5bf3${ARGUMENTS}0003`,
  ],
  [
    "clone_with_immutable_arguments",
    "the first clones with arguments",
    (a) => `363d3d37610005603836393d3d3d36610005013d73${a}5af43d82803e903d91603657fd5bf3${ARGUMENTS}0003`,
  ],
  [
    "clone_with_immutable_arguments",
    "Sudoswap's clones",
    (a) => `3d3d3d3d363d3d37605160353639366051013d73${a}5af43d3d93803e603357fd5bf3${"11".repeat(0x51)}`,
  ],
  [
    "clone_with_immutable_arguments",
    "Solady's clones with arguments",
    (a) =>
      `36602c57343d527f${PAID}593da1005b363d3d373d3d3d3d610005806062363936013d73${a}5af43d3d93803e606057fd5bf3${ARGUMENTS}0003`,
  ],
  [
    "clone_with_immutable_arguments",
    "Splits' clones",
    (a) =>
      `36602f57343d527f${PAID}60203da13d3df35b3d3d3d3d363d3d376100056067363936610005013d73${a}5af43d3d93803e606557fd5bf3${ARGUMENTS}0003`,
  ],
];

describe("who runs in place of a contract", () => {
  let node: DevelopmentNode;
  let implementation: Hex;

  before(async () => {
    node = await DevelopmentNode.open();
    implementation = await node.deploy(ANSWERING);
  });
  after(() => node.close());

  /** Reads what has to be read, and no more. */
  async function read(address: Hex): Promise<ProxyContract | undefined> {
    const code = fromHex(await node.ask<Hex>("eth_getCode", address, "latest"));
    const slots = new Map<Hex, Uint8Array>();
    for (const slot of proxySlots(code)) {
      slots.set(slot, fromHex(await node.ask<Hex>("eth_getStorageAt", address, slot, "latest")));
    }
    return proxyOf(code, slots);
  }

  async function expect(address: Hex, type: ProxyContract["type"], implementations: readonly Hex[]): Promise<void> {
    const proxy = await read(address);
    assert.deepEqual([proxy?.type, proxy?.implementations.map(toHex)], [type, implementations]);
  }

  /** The first word of what a call with some calldata answers. */
  async function answer(to: Hex, data: Hex = "0x12345678"): Promise<bigint> {
    return BigInt((await node.ask<Hex>("eth_call", { to, data }, "latest")).slice(0, 66));
  }

  async function deploy(name: string, args: readonly unknown[]): Promise<Hex> {
    return deployCode(encodeDeployData({ ...contractNamed(name), args } as never));
  }

  async function deployCode(data: Hex): Promise<Hex> {
    const hash = await node.send({ to: undefined, data, gas: 5_000_000n });
    return (await node.ask<{ contractAddress: Hex }>("eth_getTransactionReceipt", hash)).contractAddress;
  }

  test("is read from the EIP-1967 slots of OpenZeppelin's proxies", async () => {
    const plain = await deploy("ERC1967Proxy", [implementation, "0x"]);
    const transparent = await deploy("TransparentUpgradeableProxy", [implementation, node.other.address, "0x"]);

    for (const proxy of [plain, transparent]) {
      await expect(proxy, "eip1967", [implementation]);
      assert.equal(await answer(proxy), 42n);
    }
  });

  test("is read from the beacon of a BeaconProxy", async () => {
    const beacon = await deploy("UpgradeableBeacon", [implementation]);
    const proxy = await read(await deploy("BeaconProxy", [beacon, "0x"]));

    const asked = encodeFunctionData({ ...contractNamed("IBeacon"), functionName: "implementation" } as never);

    assert.equal(proxy?.type, "eip1967_beacon");
    assert.equal(toHex(proxy.beacon!), beacon);
    assert.equal(await answer(beacon, asked), BigInt(implementation));
    assert.equal(await read(beacon), undefined);
  });

  test("is in the code of OpenZeppelin's clones", async () => {
    const clone = await deployCode(encodeDeployData({ abi: CLONER, bytecode: compile(), args: [implementation] }));

    await expect(clone, "eip1167", [implementation]);
    assert.equal(await answer(clone), 42n);
  });

  for (const [type, name, program] of PROGRAMS) {
    test(`is in the code of ${name}, which runs it`, async () => {
      const proxy = await deployCode(creationOf(`0x${program(implementation.slice(2))}`));

      await expect(proxy, type, [implementation]);
      assert.equal(await answer(proxy), 42n);
      assert.deepEqual(proxySlots(fromHex(`0x${program(implementation.slice(2))}`)), []);
    });
  }

  test("is in the code of a minimal proxy that leaves out the zeros an address begins with", async () => {
    const short = `0x${"00".repeat(4)}${"5e".repeat(16)}` as const;
    await node.ask("anvil_setCode", short, "0x602a5f5260205ff3");
    const proxy = await deployCode(
      creationOf(`0x363d3d373d3d3d363d6f${"5e".repeat(16)}5af43d82803e903d91602757fd5bf3`),
    );

    await expect(proxy, "eip1167", [short]);
    assert.equal(await answer(proxy), 42n);
  });

  test("is in the first slot of a Safe, and its masterCopy()", async () => {
    for (const runtime of [SAFE_RUNTIME, SAFE_BEFORE_MASTER_COPY]) {
      const safe = await deployCode(creationOf(runtime));
      await node.ask("anvil_setStorageAt", safe, word(0), word(BigInt(implementation)));

      await expect(safe, "master_copy", [implementation]);
      assert.equal(await answer(safe), 42n);
      if (runtime === SAFE_RUNTIME) assert.equal(await answer(safe, "0xa619486e"), BigInt(implementation));
    }
  });

  test("is in the slots of EIP-1822 and of OpenZeppelin's first proxies", async () => {
    const delegating = creationOf("0x5f5f365f5f5f355af45f5ff3");
    for (const [at, type] of [
      [2, "eip1822"],
      [3, "eip1967_oz"],
    ] as const) {
      const proxy = await deployCode(delegating);
      await node.ask("anvil_setStorageAt", proxy, PROXY_SLOTS[at], word(BigInt(implementation)));

      await expect(proxy, type, [implementation]);
    }
  });

  test("is in the delegation of an account (EIP-7702)", async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    const authorization = await account.signAuthorization({
      contractAddress: implementation,
      chainId: CHAIN_ID,
      nonce: 0,
    });

    await node.send({ type: "eip7702", authorizationList: [authorization], to: account.address });

    await expect(account.address, "eip7702", [implementation]);
    assert.equal(await answer(account.address), 42n);
  });

  test("is null for other contracts and for accounts", async () => {
    assert.equal(await read(implementation), undefined);
    assert.equal(await read(node.other.address), undefined);
    assert.equal(await read(await deploy("ERC20PresetMinterPauser", ["Coin", "COIN"])), undefined);
  });
});

interface Compiled {
  readonly contracts: Readonly<Record<string, Record<string, { evm: { bytecode: { object: string } } }>>>;
}

function compile(): Hex {
  const require = createRequire(import.meta.url);
  const solc = require("solc") as { compile(input: string, callbacks: object): string };
  const input = {
    language: "Solidity",
    sources: { "Cloner.sol": { content: CLONER_SOURCE } },
    settings: { outputSelection: { "*": { "*": ["evm.bytecode.object"] } } },
  };
  const load = { import: (path: string) => ({ contents: readFileSync(require.resolve(path), "utf8") }) };
  const { contracts } = JSON.parse(solc.compile(JSON.stringify(input), load)) as Compiled;
  return `0x${contracts["Cloner.sol"]!.Cloner!.evm.bytecode.object}`;
}
