import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { AbiCoder, Contract, getAddress } from "ethers";
import type { Json } from "./support/api.ts";
import { startNetworks } from "./support/networks.ts";
import { COMPILER, compile, inputOf, PROXY, VerifyingNetwork } from "./support/verification.ts";
import { until } from "./support/waiting.ts";

const { urls } = await startNetworks(after);
const network = new VerifyingNetwork(urls.testnet!);
after(() => network.close());

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Counter {
  uint256 public immutable start;
  uint256 public count;
  event Increased(uint256 indexed to, string why);
  constructor(uint256 from) { start = from; count = from; }
  function increaseBecause(string calldata why) external { count += 1; emit Increased(count, why); }
}`;
const contract = "src/Counter.sol:Counter";
const of = (content: string) => inputOf({ "src/Counter.sol": content });
const compiled = compile(of(SOURCE), contract);
const deploy = (start: bigint) => network.deploy(compiled, start);

describe("verification", () => {
  test("4.2 contract/getabi, getsourcecode: a contract is verified from its source, and so is another of the same code", async () => {
    const [address, other] = [await deploy(42n), await deploy(7n)];
    const before = await network.act({ action: "getabi", address });
    assert.equal(before.result, "Contract source code not verified");

    const partial = await network.verify({ address, contract, input: of(`${SOURCE}\n// a comment`) });
    assert.equal(partial.result, "Pass - Verified");
    const { is_fully_verified, is_partially_verified } = await network.rest(`/smart-contracts/${address}`);
    assert.deepEqual([is_fully_verified, is_partially_verified], [false, true]);
    const perfect = await network.verify({ address, contract, input: of(SOURCE) }, { licenseType: "3" });
    assert.equal(perfect.result, "Pass - Verified");

    const { result: abi } = await network.act({ action: "getabi", address });
    assert.deepEqual(JSON.parse(abi), compiled.abi);
    const record = await network.source(address);
    assert.equal(record.ContractName, "Counter");
    assert.equal(record.ConstructorArguments, 42n.toString(16).padStart(64, "0"));
    assert.deepEqual([record.SimilarMatch, record.LicenseType], ["", "MIT"]);
    const similar = await network.source(other);
    assert.deepEqual([similar.SimilarMatch, similar.ContractName], [address, "Counter"]);
    // That it has the code of the other one does not say what it was constructed with.
    assert.equal(similar.ConstructorArguments, "");
    const again = await network.submit({ address, contract, input: of(SOURCE) });
    assert.equal(again.result, "Smart-contract already verified.");
    await expectRecords(address, other);
  });

  test("contract/verify takes one file by Blockscout's names and answers its record", async () => {
    const source = SOURCE.replaceAll("Counter", "Single");
    const single = compile(inputOf({ "Single.sol": source }), "Single.sol:Single");
    const address = await network.deploy(single, 3n);
    const form = {
      action: "verify",
      addressHash: address,
      name: "Single",
      compilerVersion: COMPILER,
      optimization: "true",
      optimizationRuns: "200",
    };
    const wrong = await network.act({ ...form, contractSourceCode: `${source.replace("+= 1", "+= 2")}` }, "POST");
    const right = await network.act({ ...form, contractSourceCode: source }, "POST");

    assert.deepEqual([wrong.status, wrong.result], ["0", "Fail - Unable to verify"]);
    assert.equal(right.status, "1");
    const record = right.result as unknown as Record<string, string>;
    assert.deepEqual(record, await network.source(address));
    assert.deepEqual([record.ContractName, record.SourceCode], ["Single", source]);
    const vyper = await network.act({ action: "verify_vyper_contract", addressHash: address });
    assert.match(vyper.result, /^Vyper sources cannot be verified/);
  });

  /** Expected explorer record of each contract. */
  async function expectRecords(address: string, other: string) {
    const { abi, ...verified } = await network.rest(`/smart-contracts/${address}`);
    const inputs = [{ internalType: "uint256", name: "from", type: "uint256" }];
    assert.deepEqual(abi, compiled.abi);
    assert.match(String(verified.verified_at), /^\d{4}-.*Z$/);
    assert.equal(verified.deployed_bytecode, await network.node.getCode(address));
    const args = AbiCoder.defaultAbiCoder().encode(["uint256"], [42n]);
    assert.equal(verified.creation_bytecode, compiled.bytecode + args.slice(2));
    const { deployed_bytecode, creation_bytecode, verified_at, compiler_settings, ...rest } = verified;
    assert.deepEqual((compiler_settings as Json).optimizer, { enabled: true, runs: 200 });
    assert.deepEqual(rest, {
      is_verified: true,
      is_fully_verified: true,
      is_partially_verified: false,
      is_changed_bytecode: false,
      is_verified_via_sourcify: false,
      is_verified_via_eth_bytecode_db: false,
      is_verified_via_verifier_alliance: false,
      verified_twin_address_hash: null,
      proxy_type: null,
      implementations: [],
      conflicting_implementations: null,
      creation_status: "success",
      verification_error: null,
      name: "Counter",
      language: "solidity",
      compiler_version: COMPILER,
      evm_version: "default",
      optimization_enabled: true,
      optimization_runs: 200,
      source_code: SOURCE,
      file_path: "src/Counter.sol",
      additional_sources: [],
      external_libraries: [],
      constructor_args: args,
      decoded_constructor_args: [["42", inputs[0]]],
      license_type: "mit",
      certified: false,
      is_blueprint: false,
      can_be_visualized_via_sol2uml: false,
      sourcify_repo_url: null,
    });
    const { is_contract, is_verified: isFlagged, name } = await network.rest(`/addresses/${address}`);
    assert.deepEqual([is_contract, isFlagged, name], [true, true, "Counter"]);
    const twin = await network.rest(`/smart-contracts/${other}`);
    const { is_verified, verified_twin_address_hash, source_code, constructor_args } = twin;
    assert.deepEqual(
      [is_verified, verified_twin_address_hash, source_code, constructor_args],
      [false, getAddress(address), SOURCE, null],
    );
  }

  test("one file that was compiled through the IR is verified with viaIR", async () => {
    const source = SOURCE.replaceAll("Counter", "Yulish");
    const input = inputOf({ "Yulish.sol": source }, { viaIR: true });
    const address = await network.deploy(compile(input, "Yulish.sol:Yulish"), 3n);
    const one = { codeformat: "solidity-single-file", optimizationUsed: "1", runs: "200", sourceCode: source };

    const legacy = await network.verify({ address, contract: "Yulish", input }, one);
    const viaIr = await network.verify({ address, contract: "Yulish", input }, { ...one, viaIR: "true" });

    assert.deepEqual([legacy.result, viaIr.result], ["Fail - Unable to verify", "Pass - Verified"]);
  });

  test("another source fails, in the words that each tool knows, and the explorer says why", async () => {
    const address = await deploy(1n);
    const failed = await network.verify({ address, contract, input: of(SOURCE.replace("+= 1", "+= 2")) });
    assert.deepEqual(failed, { status: "1", message: "OK", result: "Fail - Unable to verify" });
    const { verification_error } = await network.rest(`/smart-contracts/${address}`);
    assert.match(String(verification_error), /compiles to other code/);

    await network.verify({ address, contract, input: of(SOURCE.replace("count += 1;", "count += ;")) });
    const broken = await network.rest(`/smart-contracts/${address}`);
    assert.match(String(broken.verification_error), /ParserError/);
  });
});

/** A contract of its own for each test: what has the same code is decoded by the same source. */
const tally = (name: string) => `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract ${name} {
  uint256 public total;
  event Tallied${name}(uint256 indexed by, uint256 total);
  function tally${name}(uint256 by) external { total += by; emit Tallied${name}(by, total); }
}`;

function tallyOf(name: string) {
  const path = `src/${name}.sol`;
  const input = inputOf({ [path]: tally(name) });
  return { input, contract: `${path}:${name}`, compiled: compile(input, `${path}:${name}`) };
}

describe("after verification", () => {
  const call = async (target: Contract, method: string, by: bigint) => {
    const sent = await target.getFunction(method)(by);
    const { hash, blockNumber } = await sent.wait();
    await network.indexed(blockNumber);
    return hash as string;
  };

  test("past and future calls and logs are decoded, and lists that were kept are made anew", async () => {
    const { compiled, ...source } = tallyOf("Past");
    const address = await network.deploy(compiled);
    const target = new Contract(address, compiled.abi, network.wallet);
    const past = await call(target, "tallyPast", 5n);
    const list = `/addresses/${address}/transactions`;
    const kept = [await network.rest(list), await network.rest(list), await network.rest(list)];
    assert.deepEqual(calledIn(kept[2]!), [null, false, target.interface.getFunction("tallyPast")!.selector]);

    assert.equal((await network.verify({ address, ...source })).result, "Pass - Verified");

    assert.deepEqual(calledIn(await network.rest(list)), ["Past", true, "tallyPast"]);
    const hashes = [past, await call(target, "tallyPast", 6n)];
    for (const [at, hash] of hashes.entries()) {
      const { decoded_input } = await network.rest(`/transactions/${hash}`);
      const { origin, parameters } = decoded_input as Json;
      assert.deepEqual([origin, parameters], ["abi", [{ name: "by", type: "uint256", value: String(at + 5) }]]);
    }
    const { items } = await network.rest(`/addresses/${address}/logs`);
    const events = (items as Json[]).map(({ decoded }) => (decoded as Json).method_call);
    assert.deepEqual(events, Array(2).fill("TalliedPast(uint256 indexed by, uint256 total)"));
  });

  /** The name of whom the oldest transaction but the deployment called, whether it is verified, and which function. */
  function calledIn({ items }: Json): unknown[] {
    const { to, method } = (items as Json[]).findLast(({ to: called }) => called !== null)!;
    const { name, is_verified } = to as Json;
    return [name, is_verified, method];
  }

  test("calls of a proxy are decoded by the source of its implementation", async () => {
    const { compiled, ...source } = tallyOf("Behind");
    const implementation = await network.deploy(compiled);
    const proxy = await network.deploy(compile(inputOf({ "Proxy.sol": PROXY }), "Proxy.sol:Proxy"), implementation);
    const hash = await call(new Contract(proxy, compiled.abi, network.wallet), "tallyBehind", 9n);

    assert.equal((await network.verify({ address: implementation, ...source })).result, "Pass - Verified");

    const { decoded_input } = await network.rest(`/transactions/${hash}`);
    assert.equal((decoded_input as Json).origin, "implementation");
    const { proxy_type, implementations, is_verified } = await network.rest(`/addresses/${proxy}`);
    const target = getAddress(implementation);
    assert.deepEqual(
      [proxy_type, implementations, is_verified],
      ["eip1967", [{ address_hash: target, address: target, name: "Behind" }], false],
    );
    const { Proxy: isProxy, Implementation: found } = await network.source(proxy);
    assert.deepEqual([isProxy, found], ["1", implementation]);
  });

  test("a minimal proxy of a verified contract is verified", async () => {
    const { compiled, ...source } = tallyOf("Cloned");
    const target = await network.deploy(compiled);
    const code = `363d3d373d3d3d363d73${target.slice(2)}5af43d82803e903d91602b57fd5bf3`;
    const clone = await network.deploy({ abi: [], bytecode: `0x3d602d80600a3d3981f3${code}` });
    assert.equal((await network.rest(`/addresses/${clone}`)).is_verified, false);

    await network.verify({ address: target, ...source });

    const { is_verified, proxy_type } = await network.rest(`/addresses/${clone}`);
    assert.deepEqual([is_verified, proxy_type], [true, "eip1167"]);
  });

  test("it is listed among the verified contracts, with its ABI, and not among the unverified", async () => {
    const { compiled, ...source } = tallyOf("Listed");
    const address = await network.deploy(compiled);
    const listed = async (filter?: string) => {
      const { result } = await network.act({ action: "listcontracts", offset: "1000", ...(filter && { filter }) });
      return result as unknown as Record<string, string>[];
    };
    const [all, unverified] = [await listed(), await listed("unverified")];
    assert.ok(unverified.some(({ Address }) => Address === address));

    await network.verify({ address, ...source });

    const [row] = await listed("verified");
    assert.deepEqual(
      { ...row, ABI: JSON.parse(row!.ABI!) },
      {
        Address: address,
        ABI: compiled.abi,
        ContractName: "Listed",
        CompilerVersion: COMPILER,
        OptimizationUsed: "1",
      },
    );
    assert.deepEqual(
      (await listed()).find(({ Address }) => Address === address),
      row,
    );
    const rest = unverified.filter(({ Address }) => Address !== address);
    assert.deepEqual(await listed("unverified"), rest);
    const verified = new Set((await listed("verified")).map(({ Address }) => Address));
    assert.equal(rest.length + all.filter(({ Address }) => verified.has(Address)).length, all.length);
    const pages = [];
    for (let page = 1; page <= Math.ceil(rest.length / 7); page++) {
      const asked = { action: "listcontracts", filter: "2", offset: "7", page: String(page) };
      pages.push(...((await network.act(asked)).result as unknown as object[]));
    }
    assert.deepEqual(pages, rest);
    const { items } = await network.rest(`/search?q=${address}`);
    const [{ is_smart_contract_verified, name }] = items as [Json];
    assert.deepEqual([is_smart_contract_verified, name], [true, "Listed"]);
  });

  test("the explorer lists the verified contracts, newest first, on pages of any size", async () => {
    const { result } = await network.act({ action: "listcontracts", filter: "verified", offset: "1000" });
    const expected = (result as unknown as { Address: string }[]).map(({ Address }) => Address);
    const addressOf = ({ address }: Json) => String((address as Json).hash).toLowerCase();

    for (const size of [1, 2, 50]) {
      const seen: Json[] = [];
      let query: string | undefined = `page_size=${size}`;
      for (let page = 1; query !== undefined; page++) {
        const body: Json = await network.rest(`/smart-contracts?${query}`);
        const alone = await network.rest(`/smart-contracts?page=${page}&page_size=${size}`);
        assert.deepEqual(alone.items, body.items);
        assert.deepEqual([body.total_count, body.page], [expected.length, page]);
        seen.push(...(body.items as Json[]));
        const next = body.next_page_params as Record<string, string> | null;
        query = next === null ? undefined : String(new URLSearchParams(next));
      }
      assert.deepEqual(seen.map(addressOf), expected);
      for (const item of seen) {
        const contract = await network.rest(`/smart-contracts/${addressOf(item)}`);
        const reported = await network.node.send("eth_getBalance", [addressOf(item), "latest"]);
        assert.deepEqual(
          [item.language, item.compiler_version, item.optimization_enabled, item.license_type, item.verified_at],
          ["language", "compiler_version", "optimization_enabled", "license_type", "verified_at"].map(
            (key) => contract[key],
          ),
        );
        assert.equal(item.has_constructor_args, contract.constructor_args !== null);
        assert.equal(item.coin_balance, String(BigInt(reported)));
        const { transactions_count } = await network.rest(`/addresses/${addressOf(item)}/counters`);
        assert.equal(String(item.transactions_count), transactions_count);
      }
    }
    for (const query of ["filter=solidity", "sort=balance"]) {
      assert.equal((await network.rest(`/smart-contracts?${query}`)).total_count, expected.length);
    }
  });
});

describe("the forms of the explorer REST API", () => {
  const ended = (address: string) =>
    until(
      "the source was compiled",
      async () => {
        const { is_verified, verification_error } = await network.rest(`/smart-contracts/${address}`);
        return is_verified === true || verification_error !== null;
      },
      60_000,
    );

  const standardInput = (input: object, fields: Readonly<Record<string, string>>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set("files[0]", new Blob([JSON.stringify(input)], { type: "application/json" }), "input.json");
    return form;
  };

  test("take the standard input of a compiler", async () => {
    const { compiled, input, contract } = tallyOf("Uploaded");
    const address = await network.deploy(compiled);
    const path = `/smart-contracts/${address}/verification/via/standard-input`;
    const fields = { compiler_version: COMPILER, contract_name: contract, license_type: "mit" };

    const { status, body } = await network.post(path, standardInput(input, fields));

    assert.deepEqual([status, body.message], [200, "Smart-contract verification started"]);
    assert.equal((await network.outcome(String(body.guid))).result, "Pass - Verified");
    const { is_verified, license_type } = await network.rest(`/smart-contracts/${address}`);
    assert.deepEqual([is_verified, license_type], [true, "mit"]);
    const again = await network.post(path, standardInput(input, fields));
    assert.deepEqual(again, { status: 400, body: { message: "Already verified" } });
  });

  test("take a flattened file, and say what is wrong with it", async () => {
    const input = inputOf(
      { "Flat.sol": tally("Flat") },
      { optimizer: { enabled: true, runs: 7 }, evmVersion: "paris" },
    );
    const address = await network.deploy(compile(input, "Flat.sol:Flat"));
    const path = `/smart-contracts/${address}/verification/via/flattened-code`;
    const form = {
      compiler_version: COMPILER,
      contract_name: "Flat",
      source_code: tally("Flat"),
      is_optimization_enabled: true,
      optimization_runs: "7",
      evm_version: "paris",
      libraries: {},
      license_type: "bsl_1_1",
    };

    await network.post(path, { ...form, optimization_runs: "8", source_code: tally("Flat").replace("+=", "-=") });
    await ended(address);
    assert.match(
      String((await network.rest(`/smart-contracts/${address}`)).verification_error),
      /compiles to other code/,
    );
    const { status } = await network.post(path, form);
    assert.equal(status, 200);
    await until("it is verified", async () => (await network.rest(`/smart-contracts/${address}`)).is_verified === true);

    const { optimization_runs, evm_version, license_type, file_path } = await network.rest(
      `/smart-contracts/${address}`,
    );
    assert.deepEqual([optimization_runs, evm_version, license_type, file_path], [7, "paris", "bsl_1_1", "Flat.sol"]);
  });

  test("refuse what cannot be right at once, by the field", async () => {
    const unusedAddress = `/smart-contracts/0x${"12".repeat(20)}/verification/via/flattened-code`;
    const form = { compiler_version: COMPILER, contract_name: "A", source_code: "contract A {}" };
    const faults: readonly [change: object, field: string][] = [
      [{ compiler_version: "../../etc/passwd" }, "/compiler_version"],
      [{ contract_name: "" }, "/contract_name"],
      [{ contract_name: "A B" }, "/contract_name"],
      [{ source_code: "" }, "/source_code"],
      [{ is_optimization_enabled: true, optimization_runs: "many" }, "/optimization_runs"],
      [{ libraries: { A: "0x1" } }, "/libraries"],
    ];
    for (const [change, pointer] of faults) {
      const { status, body } = await network.post(unusedAddress, { ...form, ...change });
      const [{ source }] = body.errors as [{ source: object }];
      assert.deepEqual([status, source], [422, { pointer }]);
    }
    assert.deepEqual(await network.post(unusedAddress, form), {
      status: 404,
      body: { message: "Address is not a smart-contract" },
    });
    assert.equal((await fetch(`${network.url}/api/v2${unusedAddress}`)).status, 405);
    const unreadable = await fetch(`${network.url}/api/v2${unusedAddress}`, { method: "POST", body: "{" });
    assert.deepEqual([unreadable.status, await unreadable.json()], [400, { message: "The body is not valid JSON" }]);
  });

  test("the config names the compilers that are there", async () => {
    const config = await network.rest("/smart-contracts/verification/config");

    assert.deepEqual(config.verification_options, ["flattened-code", "standard-input"]);
    const versions = config.solidity_compiler_versions as string[];
    assert.ok(versions.some((version) => COMPILER.startsWith(version)));
    assert.deepEqual((config.license_types as Json).mit, 3);
  });
});
