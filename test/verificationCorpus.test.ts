import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { AbiCoder, JsonRpcProvider } from "ethers";
import { explain, verifyContract } from "../src/verify/verifyContract.ts";
import { startNetworks } from "./support/networks.ts";
import { sourceOf, verify } from "./support/verification/actions.ts";
import type { CorpusContract } from "./support/verification/corpus.ts";
import { CORPUS, changed, commented, inputOf } from "./support/verification/corpus.ts";
import { deploy } from "./support/verification/deployments.ts";
import { compileWith, INSTALLED, taskOf } from "./support/verification/releases.ts";

const { urls } = await startNetworks(after, "--compilers", INSTALLED, "--no-fetch-compilers");
const url = urls.testnet!;
const node = new JsonRpcProvider(`${url}/rpc`, 968, { cacheTimeout: -1, pollingInterval: 50 });
after(() => node.destroy());

/** As they are on the chain, from the ABI that solc answers here. */
function encodedArguments(contract: CorpusContract): string {
  const { release, path, name, arguments: given = [] } = contract;
  const { abi } = compileWith(release, inputOf(contract))[path]![name]!;
  const entries = abi as readonly { type: string; inputs: { type: string }[] }[];
  const types = entries.find(({ type }) => type === "constructor")?.inputs.map(({ type }) => type) ?? [];
  return AbiCoder.defaultAbiCoder().encode(types, given).slice(2);
}

/** What an input compiles to. */
const codeOf = ({ release, path, name }: CorpusContract, input: { readonly settings: object }) =>
  compileWith(release, input)[path]![name]!.evm;

describe("contracts of five releases of solc", () => {
  for (const contract of CORPUS) {
    test(`${contract.release}: ${contract.what}`, async () => {
      const address = await deploy(node, contract);

      assert.equal(await verify(url, address, contract), "Pass - Verified");

      const source = await sourceOf(url, address);
      assert.equal(source.ContractName, contract.name);
      assert.equal(source.ConstructorArguments, encodedArguments(contract));
      const served = JSON.parse(source.SourceCode!.slice(1, -1));
      assert.deepEqual(codeOf(contract, served), codeOf(contract, inputOf(contract)));
      const libraries = source.Library === "" ? [] : source.Library!.split(";").map((entry) => entry.split(":")[0]!);
      assert.deepEqual(libraries.sort(), [...(contract.libraries ?? [])].sort());

      const code = await node.getCode(address);
      const perfect = contract.isHashed === false ? "partial" : "perfect";
      const match = async (other: CorpusContract) =>
        (await verifyContract(taskOf(other, address, code))).matches.runtime;
      assert.deepEqual([await match(contract), await match(commented(contract))], [perfect, "partial"]);
      await assert.rejects(verifyContract(taskOf(changed(contract), address, code)), (error) => {
        assert.equal(explain(error).reason, "mismatch");
        assert.match(
          explain(error).message,
          /the source compiles to (other code|code of another length) than is deployed/,
        );
        return true;
      });
    });
  }
});

test("a constructor that returns the code of another contract does not verify it", async () => {
  const [victim] = CORPUS.filter(({ release }) => release === "0.8.37");
  const thief: CorpusContract = {
    what: "it returns what it is given",
    release: "0.8.37",
    settings: {},
    sources: {
      "Thief.sol": `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Thief {
  constructor(bytes memory code) { assembly { return(add(code, 32), mload(code)) } }
  function steal() external {}
}`,
    },
    path: "Thief.sol",
    name: "Thief",
    change: ["", ""],
  };
  const robbed = await deploy(node, { ...victim!, arguments: [123456789] });
  const address = await deploy(node, { ...thief, arguments: [await node.getCode(robbed)] });
  assert.equal(await node.getCode(address), await node.getCode(robbed));

  assert.equal(await verify(url, address, thief), "Fail - Unable to verify");

  assert.notEqual((await sourceOf(url, robbed)).ContractName, "Thief");
});
