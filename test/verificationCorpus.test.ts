import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { AbiCoder, getCreateAddress, JsonRpcProvider, Wallet } from "ethers";
import { explain, verifyContract } from "../src/verify/verifyContract.ts";
import type { Json } from "./support/api.ts";
import { KEYS, startNetworks } from "./support/networks.ts";
import { act, settled, sourceOf, submissionOf, verify } from "./support/verification/actions.ts";
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
  const { abi = [] } = compileWith(release, inputOf(contract))[path]![name]!;
  const entries = abi as readonly { type: string; inputs: { type: string }[] }[];
  const types = entries.find(({ type }) => type === "constructor")?.inputs.map(({ type }) => type) ?? [];
  return AbiCoder.defaultAbiCoder().encode(types, given).slice(2);
}

const codeOf = ({ release, path, name }: CorpusContract, input: { readonly settings: object }) =>
  compileWith(release, input)[path]![name]!.evm;

/** One of each release, unless all are asked for. */
const TRIED = CORPUS.filter(({ release }, at) => {
  const isFirst = CORPUS.findIndex((other) => other.release === release) === at;
  return isFirst || process.env.ORIEL_CASES !== undefined;
});

describe("contracts of five releases of solc", () => {
  for (const contract of TRIED) {
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

test("Yul is served as such, and what solc does not take of it is refused in words", async () => {
  const contract = CORPUS.find(({ language }) => language === "Yul")!;
  const address = await deploy(node, contract);
  const explorer = async () => (await fetch(`${url}/api/v2/smart-contracts/${address}`)).json() as Promise<Json>;
  const input = inputOf(contract);
  const two = { ...input, sources: { ...input.sources, "src/Other.yul": { content: "{}" } } };
  const submission = { ...submissionOf(address, contract), sourceCode: JSON.stringify(two) };

  assert.equal(await settled(url, (await act(url, submission, "POST")).result), "Fail - Unable to verify");
  assert.match(String((await explorer()).verification_error), /exactly one input file/);
  assert.equal(await verify(url, address, contract), "Pass - Verified");

  const { language, name, abi, is_verified, file_path } = await explorer();
  assert.deepEqual([language, name, abi, is_verified, file_path], ["yul", "Box", [], true, contract.path]);
});

/** Several contracts, of which one needs a library that is linked, as a tool flattens them. */
const FLAT: CorpusContract = {
  what: "one file of several contracts",
  release: "0.8.37",
  settings: { optimizer: { enabled: true, runs: 200 } },
  sources: {
    "Second.sol": `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
interface Counts { function count() external view returns (uint256); }
library Doubles { function double(uint256 n) external pure returns (uint256) { return n * 2; } }
abstract contract Base is Counts { uint256 public override count; }
contract First is Base { function increase() external { count += 1; } }
contract Second is Base { constructor(uint256 n) { count = n; } function twice() external { count = Doubles.double(count); } }`,
  },
  path: "Second.sol",
  name: "Second",
  libraries: ["Doubles"],
  arguments: [5],
  change: ["", ""],
};

test("one file of several contracts verifies the one that is named, with its library", async () => {
  const address = await deploy(node, FLAT);
  const library = getCreateAddress({
    from: new Wallet(KEYS[0]).address,
    nonce: (await node.getTransactionCount(new Wallet(KEYS[0]).address)) - 2,
  });
  const submit = async (contractname: string, more: Readonly<Record<string, string>> = {}) => {
    const flat = { codeformat: "solidity-single-file", optimizationUsed: "1", runs: "200" };
    const source = { ...submissionOf(address, FLAT), ...flat, sourceCode: FLAT.sources[FLAT.path]!, contractname };
    return settled(url, (await act(url, { ...source, ...more }, "POST")).result);
  };

  for (const name of ["First", "Third"]) {
    assert.equal(await submit(name), "Fail - Unable to verify", name);
  }
  assert.equal(await submit("Second", { libraryname1: "Doubles", libraryaddress1: library }), "Pass - Verified");

  const { ContractName, Library, ConstructorArguments } = await sourceOf(url, address);
  assert.deepEqual(
    [ContractName, Library, ConstructorArguments],
    ["Second", `Doubles:${library.toLowerCase()}`, encodedArguments(FLAT)],
  );
});
