import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { EtherscanUtils, setLibSourcifyLoggerLevel, Verification } from "@ethereum-sourcify/lib-sourcify";
import solc from "solc";
import { startNetworks } from "../support/networks.ts";
import type { Envelope } from "../support/verification.ts";
import { COMPILER, compile, inputOf, VerifyingNetwork } from "../support/verification.ts";

const { urls } = await startNetworks(after);
const network = new VerifyingNetwork(urls.testnet!);
after(() => network.close());

const SOURCES = {
  "src/Counter.sol": `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
import {Numbers} from "./Numbers.sol";
contract Counter {
  uint256 public immutable start;
  constructor(uint256 from) { start = from; }
  function doubled() external view returns (uint256) { return Numbers.twice(start); }
}`,
  "src/Numbers.sol": `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
library Numbers { function twice(uint256 n) internal pure returns (uint256) { return n * 2; } }`,
};
const NAME = "src/Counter.sol:Counter";
/** As forge writes the settings of a project. */
const SETTINGS = {
  remappings: [],
  optimizer: { enabled: false, runs: 200 },
  metadata: { useLiteralContent: false, bytecodeHash: "ipfs", appendCBOR: true },
  outputSelection: {
    "*": { "": ["ast"], "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object", "metadata"] },
  },
  evmVersion: "cancun",
  viaIR: false,
  libraries: {},
};
const input = inputOf(SOURCES, SETTINGS);
const compiled = compile(input, NAME);
const FLAT = `${SOURCES["src/Numbers.sol"]}\n${SOURCES["src/Counter.sol"].split("\n").slice(3).join("\n")}`;

/** The address of the verifier, with the slash that the specification has (section 4.2). */
const VERIFIER = `${network.url}/api/`;

/** All in the body of a form, as forge sends it; of an unknown action nothing else is known. */
async function post(fields: Readonly<Record<string, string>>): Promise<Envelope> {
  const response = await fetch(VERIFIER, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ apikey: "any", module: "contract", ...fields }).toString(),
  });
  const answer = (await response.json()) as Envelope;
  // It reads these three texts, whatever the status of HTTP.
  for (const text of [answer.status, answer.message, answer.result]) assert.equal(typeof text, "string");
  return answer;
}

const getabi = async (address: string) => {
  const response = await fetch(`${VERIFIER}?module=contract&action=getabi&address=${address}&apikey=any`);
  return (await response.json()) as Envelope;
};

const submission = (address: string) => ({
  action: "verifysourcecode",
  contractaddress: address,
  sourceCode: JSON.stringify(input),
  codeformat: "solidity-standard-json-input",
  contractname: NAME,
  compilerversion: COMPILER,
  // forge sends both spellings, and that of Etherscan has a mistake.
  constructorArguements: 42n.toString(16).padStart(64, "0"),
  constructorArguments: 42n.toString(16).padStart(64, "0"),
});

/** Polls as `--watch` does: what it answers where it ends well, else throws. */
async function watch(guid: string): Promise<string> {
  for (let tries = 0; tries < 8; tries++) {
    const { status, result } = await post({ action: "checkverifystatus", guid });
    if (result === "Pending in queue" || result === "Unable to verify") continue;
    if (result === "Already Verified") return result;
    if (status === "0") throw new Error(`Contract verification failed: ${result}`);
    return result;
  }
  throw new Error("still pending");
}

let address: string;
/** One that is verified from a flattened file. */
let flat: string;
before(async () => {
  address = await network.deploy(compiled, 42n);
});

describe("forge", () => {
  test("sees that an explorer is there before it deploys", async () => {
    const answer = await getabi(`0x${"0".repeat(40)}`);
    assert.match(JSON.stringify(answer).toLowerCase(), /contract source code not verified/);
  });

  test("fails where the source is another, by the status", async () => {
    assert.equal((await getabi(address)).result, "Contract source code not verified");
    const other = SOURCES["src/Numbers.sol"].replace("n * 2", "n * 3");
    const sourceCode = JSON.stringify(inputOf({ ...SOURCES, "src/Numbers.sol": other }, SETTINGS));
    const { status, result } = await post({ ...submission(address), sourceCode });
    assert.equal(status, "1");
    await assert.rejects(watch(result), /Contract verification failed: Fail - Unable to verify/);
  });

  test("verifies a contract, and knows it is verified afterwards", async () => {
    const { status, message, result } = await post(submission(address));
    assert.deepEqual([status, message], ["1", "OK"]);
    assert.equal(await watch(result), "Pass - Verified");
    assert.deepEqual(JSON.parse((await getabi(address)).result), compiled.abi);

    const again = await post(submission(address));
    assert.deepEqual([again.status, again.result], ["0", "Smart-contract already verified."]);
    const onChain = await post({ ...submission(address), chainid: "968" });
    assert.deepEqual([onChain.status, onChain.result], ["0", "Contract source code already verified"]);
  });

  test("verifies a flattened file", async () => {
    const plain = { optimizer: { enabled: true, runs: 99 }, evmVersion: "paris" };
    const flattened = inputOf({ "Counter.sol": FLAT }, plain);
    flat = await network.deploy(compile(flattened, "Counter.sol:Counter"), 5n);
    const single = {
      ...submission(flat),
      sourceCode: FLAT,
      codeformat: "solidity-single-file",
      contractname: "Counter",
      optimizationUsed: "1",
      runs: "99",
      evmversion: "paris",
      licenseType: "3",
    };
    const { result } = await post(single);
    assert.equal(await watch(result), "Pass - Verified");
    const { SourceCode, OptimizationUsed, Runs, EVMVersion, LicenseType } = await network.source(flat);
    assert.deepEqual([SourceCode, OptimizationUsed, Runs, EVMVersion, LicenseType], [FLAT, "1", "99", "paris", "MIT"]);
  });

  test("reports why a contract cannot be verified", async () => {
    const nobody = `0x${"12".repeat(20)}`;
    const cases: readonly [change: Record<string, string>, result: string][] = [
      [{ contractaddress: nobody }, `Unable to locate ContractCode at ${nobody}`],
      [
        { codeformat: "vyper-json", compilerversion: "vyper:0.3.10", optimizationUsed: "0", runs: "0" },
        "Vyper sources cannot be verified: no vyper compiler is configured",
      ],
      [{ codeformat: "" }, "Missing codeformat field"],
      [{ sourceCode: "" }, "Missing sourceCode or contractaddress fields"],
      [{ contractname: "" }, "contractname is required."],
      [{ contractname: "a b" }, "contractname has invalid format"],
      [
        { compilerversion: "v0.8.99-nightly.2026.1.1" },
        "the compiler version is no released solc, such as v0.8.28+commit.7893614a",
      ],
      [{ contractaddress: "0x12" }, "Invalid address hash"],
    ];
    for (const [change, result] of cases) {
      assert.deepEqual(await post({ ...submission(address), ...change }), { status: "0", message: result, result });
    }
    await assert.rejects(watch("5fbdb2315678afecb367f032d93f642f64180aa3"), /Unknown UID/);
  });

  test("guesses constructor arguments from the creation", async () => {
    const { result } = await network.act({ action: "getcontractcreation", contractaddresses: address });
    const [row] = result as unknown as Record<string, string>[];
    assert.deepEqual([row?.contractAddress, row?.contractCreator], [address, network.wallet.address.toLowerCase()]);
    assert.equal(row?.creationBytecode, compiled.bytecode + 42n.toString(16).padStart(64, "0"));
  });
});

describe("getsourcecode", () => {
  test("is an input that compiles as it stands to the code of the contract", async () => {
    setLibSourcifyLoggerLevel(0);
    assert.match((await network.source(address)).SourceCode!, /^\{\{.*\}\}$/s);
    for (const verified of [address, flat]) {
      const record = (await network.source(verified)) as never;

      const compilation = await EtherscanUtils.getCompilationFromEtherscanResult(record, solcjs as never, {} as never);

      const code = await network.node.getCode(verified);
      const chain = { chainId: 968, getBytecode: async () => code } as never;
      const verification = new Verification(compilation, chain, verified);
      await verification.verify();
      assert.equal(verification.status.runtimeMatch, "perfect");
    }
  });

  const solcjs = { compile: async (_: string, given: object) => JSON.parse(solc.compile(JSON.stringify(given))) };
});
