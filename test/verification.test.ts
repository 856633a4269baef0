import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { ContractFactory, JsonRpcProvider, Wallet } from "ethers";
import solc from "solc";
import { KEYS, startNetworks } from "./support/networks.ts";
import { until } from "./support/program.ts";

const { urls } = await startNetworks(after);
const url = urls.testnet!;
const node = new JsonRpcProvider(`${url}/rpc`, 968, { cacheTimeout: -1, pollingInterval: 50 });
after(() => node.destroy());

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Counter {
  uint256 public immutable start;
  uint256 public count;
  constructor(uint256 from) { start = from; count = from; }
  function increase() external { count += 1; }
}`;
const COMPILER = `v${solc.version().replace(".Emscripten.clang", "")}`;

const inputOf = (content: string) => ({
  language: "Solidity",
  sources: { "src/Counter.sol": { content } },
  settings: { optimizer: { enabled: true, runs: 200 }, outputSelection: { "*": { "*": ["*"] } } },
});

async function deploy(start: bigint): Promise<string> {
  const output = JSON.parse(solc.compile(JSON.stringify(inputOf(SOURCE))));
  const { abi, evm } = output.contracts["src/Counter.sol"].Counter;
  const contract = await new ContractFactory(abi, evm.bytecode.object, new Wallet(KEYS[0]!, node)).deploy(start);
  await contract.waitForDeployment();
  return (await contract.getAddress()).toLowerCase();
}

type Envelope = { status: string; message: string; result: string };

async function act(parameters: Record<string, string>, method: "GET" | "POST"): Promise<Envelope> {
  const form = new URLSearchParams({ module: "contract", ...parameters });
  const response = await (method === "GET" ? fetch(`${url}/api?${form}`) : fetch(`${url}/api`, { method, body: form }));
  return (await response.json()) as Envelope;
}

const submission = (address: string, content: string) => ({
  action: "verifysourcecode",
  contractaddress: address,
  sourceCode: JSON.stringify(inputOf(content)),
  codeformat: "solidity-standard-json-input",
  contractname: "src/Counter.sol:Counter",
  compilerversion: COMPILER,
});

async function verify(address: string, content: string): Promise<Envelope> {
  const { status, result: guid } = await act(submission(address, content), "POST");
  assert.equal(status, "1", guid);
  let answer: Envelope | undefined;
  await until(
    "the source was compiled",
    async () => {
      answer = await act({ action: "checkverifystatus", guid }, "GET");
      return answer.result !== "Pending in queue";
    },
    60_000,
  );
  return answer!;
}

describe("verification", () => {
  test("a contract is verified from its source, and so is another of the same code", async () => {
    const [address, other] = [await deploy(42n), await deploy(7n)];
    const before = await act({ action: "getabi", address }, "GET");
    assert.equal(before.result, "Contract source code not verified");

    const partial = await verify(address, `${SOURCE}\n// a comment`);
    assert.equal(partial.result, "Pass - Verified");
    const perfect = await verify(address, SOURCE);
    assert.equal(perfect.result, "Pass - Verified");

    const { result: abi } = await act({ action: "getabi", address }, "GET");
    assert.equal(JSON.parse(abi).length, 4);
    const found = await act({ action: "getsourcecode", address }, "GET");
    const [record] = found.result as unknown as Record<string, string>[];
    assert.equal(record?.ContractName, "Counter");
    assert.equal(record?.ConstructorArguments, 42n.toString(16).padStart(64, "0"));
    assert.equal(record?.SimilarMatch, "");
    const [similar] = (await act({ action: "getsourcecode", address: other }, "GET")).result as unknown as Record<
      string,
      string
    >[];
    assert.equal(similar?.SimilarMatch, address);
    assert.equal((await act(submission(address, SOURCE), "POST")).result, "Smart-contract already verified.");
  });

  test("another source fails, in the words that each tool knows", async () => {
    const address = await deploy(1n);
    const failed = await verify(address, SOURCE.replace("+= 1", "+= 2"));
    assert.deepEqual(failed, { status: "1", message: "OK", result: "Fail - Unable to verify" });
  });
});
