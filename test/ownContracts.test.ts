import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { after, before, test } from "node:test";
import type { Abi as ViemAbi } from "viem";
import { encodeDeployData, encodeFunctionData } from "viem";
import { presentCall, presentEvent } from "../src/api/rest/transactions/presentDecoded.ts";
import { decodeCall, decodeError, decodeLog } from "../src/chain/abi/resolve.ts";
import type { Signature } from "../src/chain/abi/signature.ts";
import { canonicalText, fullText } from "../src/chain/abi/signature.ts";
import type { Bytes } from "../src/chain/encoding/bytes.ts";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { fromHex } from "../src/chain/encoding/hex.ts";
import { artifactsIn } from "../src/cli/artifactFiles.ts";
import { ContractStore } from "../src/store/contracts/contractStore.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import type { CompiledContract } from "./support/compiledProject.ts";
import { compileSources, linked, PROJECT, writeFoundry, writeHardhat } from "./support/compiledProject.ts";
import { DevelopmentNode, type Refused } from "./support/developmentNode.ts";
import { temporaryDirectory } from "./support/program.ts";

const OWNER: Hex = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
const CAP = 2n ** 255n + 12345n;

const project = compileSources(PROJECT);
const viaIr = compileSources(PROJECT, { viaIR: true });
let node: DevelopmentNode;

before(async () => {
  node = await DevelopmentNode.open();
});

after(() => node.close());

async function deploy(contract: CompiledContract, args: readonly unknown[] = [], libraries = {}): Promise<Hex> {
  const data = encodeDeployData({ abi: contract.abi as ViemAbi, bytecode: linked(contract, libraries), args });
  const hash = await node.send({ to: undefined, data, gas: 3_000_000n });
  const receipt = await node.ask<{ contractAddress: Hex; status: Hex }>("eth_getTransactionReceipt", hash);
  assert.equal(receipt.status, "0x1");
  return receipt.contractAddress;
}

const codeAt = async (address: Hex) => fromHex(await node.ask<Hex>("eth_getCode", address, "latest"));

/** Deploys what can be deployed of the project; answers the addresses by name. */
async function deployAll(contracts: ReadonlyMap<string, CompiledContract>) {
  const of = (name: string) => contracts.get(name)!;
  const sums = await deploy(of("Sums"));
  return {
    Sums: sums,
    Vault: await deploy(of("Vault"), [OWNER, CAP], { Sums: sums }),
    Made: await deploy(of("Made"), [CAP]),
    Maker: await deploy(of("Maker")),
    East: await deploy(of("East")),
    West: await deploy(of("West")),
  };
}

async function contractStoreOf(t: TestContext, ...folders: string[]): Promise<ContractStore> {
  const contractStore = await ContractStore.open(IN_MEMORY);
  t.after(() => contractStore.close());
  for (const folder of folders) {
    const looked = [...artifactsIn(folder)];
    assert.deepEqual(
      looked.filter(({ artifact }) => artifact === undefined),
      [],
    );
    await contractStore.add(looked.map(({ artifact }) => artifact!));
  }
  await contractStore.refresh();
  return contractStore;
}

/** Canonical texts of the functions found for a code, and of those in the compiler's output. */
async function functionsOf(contractStore: ContractStore, code: Bytes): Promise<string[] | undefined> {
  const abi = await contractStore.ofCode(code);
  if (abi === undefined) return undefined;
  const lists = (abi.functions as ReadonlyMap<Hex, readonly Signature[]>).values();
  return [...lists].flat().map(canonicalText).sort();
}

const namesIn = ({ abi }: CompiledContract) =>
  (abi as readonly { type: string; name: string; inputs: { type: string }[] }[])
    .filter(({ type }) => type === "function")
    .map(({ name, inputs }) => `${name}(${inputs.map(({ type }) => type).join(",")})`)
    .sort();

const FORMS = {
  "hardhat 2": (folder: string, contracts: Iterable<CompiledContract>) => writeHardhat(folder, contracts, 2),
  "hardhat 3": (folder: string, contracts: Iterable<CompiledContract>) => writeHardhat(folder, contracts, 3),
  foundry: writeFoundry,
};

for (const [form, write] of Object.entries(FORMS)) {
  for (const [how, contracts] of Object.entries({ "by the usual way": project, "via IR": viaIr })) {
    test(`contracts that ${form} compiled ${how} are found by their code on a chain`, async (t) => {
      const contractStore = await contractStoreOf(t, write(temporaryDirectory(t), contracts.values()));

      for (const [name, address] of Object.entries(await deployAll(contracts))) {
        assert.deepEqual(await functionsOf(contractStore, await codeAt(address)), namesIn(contracts.get(name)!), name);
      }
      assert.equal((await contractStore.list()).length, contracts.size);
    });
  }
}

test("the code has what the tests are about", async () => {
  const { evm } = project.get("Vault")!;
  assert.equal(Object.keys(evm.deployedBytecode.immutableReferences!).length, 2);
  assert.match(evm.deployedBytecode.object, /__\$[\da-f]{34}\$__/);
  assert.match(project.get("Sums")!.evm.deployedBytecode.object, /^73(00){20}3014/);
  const [east, west] = [project.get("East")!, project.get("West")!].map((one) => one.evm.deployedBytecode.object);
  assert.equal(east!.length, west!.length);
  assert.equal(project.get("Maker")!.evm.deployedBytecode.object.match(/64697066735822/g)?.length, 2);
});

const edited = (from: string, to: string) =>
  compileSources(
    Object.fromEntries(Object.entries(PROJECT).map(([path, source]) => [path, source.replaceAll(from, to)])),
  );

test("a comment more changes the metadata, and the code still fits; another constant does not", async (t) => {
  const commented = edited("contract ", "/* said anew */ contract ");
  const deployed = await deployAll(commented);
  const contractStore = await contractStoreOf(t, writeHardhat(temporaryDirectory(t), project.values()));

  for (const [name, address] of Object.entries(deployed)) {
    const own = project.get(name)!.evm.deployedBytecode.object;
    const code = await codeAt(address);
    if (name !== "Sums") assert.notEqual(own.slice(-106), Buffer.from(code).toString("hex").slice(-106), name);
    assert.deepEqual(await functionsOf(contractStore, code), namesIn(project.get(name)!), name);
  }

  const changed = edited("1111", "1112");
  assert.equal(await contractStore.ofCode(await codeAt(await deploy(changed.get("East")!))), undefined);
  assert.ok(await contractStore.ofCode(await codeAt(await deploy(changed.get("West")!))));
});

test("code without metadata is found, but not for code with it", async (t) => {
  const bare = compileSources(PROJECT, { metadata: { appendCBOR: false } });
  const contractStore = await contractStoreOf(t, writeFoundry(temporaryDirectory(t), bare.values()));

  for (const [name, address] of Object.entries(await deployAll(bare))) {
    assert.deepEqual(await functionsOf(contractStore, await codeAt(address)), namesIn(bare.get(name)!), name);
  }
  assert.equal(await contractStore.ofCode(await codeAt(await deploy(project.get("East")!))), undefined);
});

test("a call, its log and its revert decode by the ABI that was found", async (t) => {
  const contractStore = await contractStoreOf(t, writeFoundry(temporaryDirectory(t), project.values()));
  const library = await deploy(project.get("Sums")!);
  const vault = await deploy(project.get("Vault")!, [OWNER, 100n], { Sums: library });
  const abi = project.get("Vault")!.abi as ViemAbi;
  const deposit = (amount: bigint) => encodeFunctionData({ abi, functionName: "deposit", args: [amount] });

  const hash = await node.send({ to: vault, data: deposit(40n) });
  const receipt = await node.ask<{ logs: { topics: Hex[]; data: Hex }[] }>("eth_getTransactionReceipt", hash);
  const refused = await node.ask("eth_call", { to: vault, data: deposit(70n) }, "latest").then(
    () => assert.fail("it is above the cap"),
    (error: Refused) => error,
  );

  const [{ topics, data }] = receipt.logs as [{ topics: Hex[]; data: Hex }];
  for (const signatures of [await contractStore.ofCode(await codeAt(vault)), contractStore.all]) {
    const candidates = [{ origin: "abi", signatures: signatures! }] as const;
    assert.equal(fullText(decodeCall(fromHex(deposit(40n)), candidates)!.signature), "deposit(uint256 amount)");
    const log = decodeLog({ topics: Buffer.concat(topics.map(fromHex)), data: fromHex(data) }, candidates);
    assert.deepEqual(presentEvent(log!).parameters.at(-1), {
      name: "amount",
      type: "uint256",
      value: "40",
      indexed: false,
    });
    const revert = decodeError(fromHex(refused.data as Hex), candidates);
    assert.deepEqual(
      presentCall(revert!).parameters.map(({ name, value }) => [name, value]),
      [
        ["amount", "70"],
        ["cap", "100"],
      ],
    );
  }
});
