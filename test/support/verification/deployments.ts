import { Contract, ContractFactory, type JsonRpcProvider, Wallet } from "ethers";
import { KEYS } from "../networks.ts";
import type { CorpusContract } from "./corpus.ts";
import { inputOf } from "./corpus.ts";
import type { CompiledOutput } from "./releases.ts";
import { compileWith } from "./releases.ts";

/** Deploys a contract with what it needs; answers where it is. */
export async function deploy(node: JsonRpcProvider, contract: CorpusContract): Promise<string> {
  const { release, path, name, libraries = [], madeBy, arguments: given = [] } = contract;
  const outputs = compileWith(release, inputOf(contract));
  const find = (wanted: string) => Object.values(outputs).find((file) => wanted in file)![wanted]!;
  const signer = new Wallet(KEYS[0], node);
  const create = async ({ abi = [], evm }: CompiledOutput, code: string, args: readonly unknown[]) => {
    const made = await new ContractFactory(abi, code || evm.bytecode.object, signer).deploy(...args);
    await made.waitForDeployment();
    return (await made.getAddress()).toLowerCase();
  };
  const addresses: Record<string, string> = {};
  for (const library of libraries) addresses[library] = await create(find(library), "", []);
  if (madeBy === undefined) {
    const output = outputs[path]![name]!;
    return create(output, link(output, addresses), given);
  }
  const maker = find(madeBy);
  const factory = new Contract(await create(maker, "", []), maker.abi ?? [], signer);
  const receipt = await (await factory.getFunction("make")(...given)).wait();
  return `0x${receipt.logs[0].data.slice(-40)}`;
}

function link({ evm: { bytecode } }: CompiledOutput, addresses: Readonly<Record<string, string>>): string {
  let { object } = bytecode;
  for (const [name, places] of Object.values(bytecode.linkReferences).flatMap((file) => Object.entries(file))) {
    for (const { start, length } of places) {
      object = object.slice(0, start * 2) + addresses[name]!.slice(2) + object.slice((start + length) * 2);
    }
  }
  return object;
}
