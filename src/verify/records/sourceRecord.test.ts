import assert from "node:assert/strict";
import { test } from "node:test";
import { toHex } from "../../chain/encoding/hex.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import { parseContractName, SourceFault, standardInput } from "../standardInput.ts";
import { readMetadata } from "./metadata.ts";
import type { RecordedSource } from "./recordedSource.ts";
import { readSourceRecord, recordsIn } from "./sourceRecord.ts";

const MAIN = 'import "./b/B.sol"; contract A is B {}';
const BASE = "contract B {}";
const LIBRARY = `0x${"12".repeat(20)}`;
const INPUT = {
  language: "Solidity",
  sources: { "src/A.sol": { content: MAIN }, "src/b/B.sol": { content: BASE } },
  settings: { optimizer: { enabled: true, runs: 9 }, libraries: { "src/A.sol": { L: LIBRARY } }, viaIR: true },
} as const;

const inputOf = ({ source, contract }: RecordedSource) => standardInput(source, parseContractName(contract));

const etherscan = {
  SourceCode: `{${JSON.stringify(INPUT)}}`,
  ContractName: "A",
  ContractFileName: "src/A.sol",
  CompilerVersion: "v0.8.28+commit.7893614a",
  OptimizationUsed: "1",
  Runs: "9",
  EVMVersion: "Default",
  Library: "",
  LicenseType: "MIT",
};

test("standard JSON input of Etherscan, Blockscout and Sourcify is that which was verified", () => {
  const blockscout = {
    is_verified: true,
    language: "solidity",
    name: "A",
    file_path: "src/A.sol",
    compiler_version: "v0.8.28+commit.7893614a",
    compiler_settings: INPUT.settings,
    source_code: MAIN,
    additional_sources: [{ file_path: "src/b/B.sol", source_code: BASE }],
    external_libraries: [{ name: "L", address_hash: LIBRARY }],
    license_type: "mit",
  };
  const action = {
    ...etherscan,
    SourceCode: MAIN,
    FileName: "src/A.sol",
    AdditionalSources: [{ Filename: "src/b/B.sol", SourceCode: BASE }],
    CompilerSettings: INPUT.settings,
  };
  const sourcify = {
    match: "exact_match",
    address: `0x${"Ab".repeat(20)}`,
    compilation: { compilerVersion: "0.8.28+commit.7893614a", fullyQualifiedName: "src/A.sol:A" },
    stdJsonInput: INPUT,
  };

  const found = [etherscan, blockscout, action, sourcify].map((record) => readSourceRecord(record));

  for (const { source } of found) {
    assert.deepEqual(inputOf(source), { ...INPUT, sources: Object.assign(Object.create(null), INPUT.sources) });
    assert.equal(source.contract, "src/A.sol:A");
    assert.match(source.compiler, /^v?0\.8\.28\+commit\.7893614a$/);
  }
  assert.deepEqual(
    found.map(({ source }) => source.license),
    ["MIT", "MIT", "MIT", "None"],
  );
  assert.deepEqual(
    found.map(({ address }) => address),
    [undefined, undefined, undefined, `0x${"ab".repeat(20)}`],
  );
});

test("one file has the settings of its record, and several files of Etherscan's older form too", () => {
  const settings = { OptimizationUsed: "1", Runs: "9", EVMVersion: "London", Library: `L:${LIBRARY.slice(2)}` };
  const single = readSourceRecord({ ...etherscan, ContractFileName: "", SourceCode: BASE, ...settings }).source;
  const flat = readSourceRecord({
    name: "A",
    source_code: BASE,
    compiler_version: "v0.8.28+commit.7893614a",
    compiler_settings: null,
    optimization_enabled: true,
    optimization_runs: 9,
    evm_version: "london",
    external_libraries: [{ name: "src/A.sol:L", address_hash: LIBRARY }],
  }).source;
  const several = readSourceRecord({
    ...etherscan,
    SourceCode: JSON.stringify({ "src/A.sol": { content: MAIN }, "src/b/B.sol": { content: BASE } }),
    ...settings,
  }).source;

  const expected = (path: string) => ({
    optimizer: { enabled: true, runs: 9 },
    evmVersion: "london",
    libraries: { [path]: { L: LIBRARY } },
  });
  assert.deepEqual(inputOf(single).settings, expected("A.sol"));
  assert.deepEqual(inputOf(flat).settings, expected("A.sol"));
  assert.deepEqual(inputOf(several).settings, expected("src/A.sol"));
  assert.deepEqual(Object.keys(inputOf(several).sources), ["src/A.sol", "src/b/B.sol"]);
});

test("metadata names its files by their hash, and its libraries by path", () => {
  const hashOf = (text: string) => toHex(keccak256(Buffer.from(text)));
  const { libraries: _, ...settings } = INPUT.settings;
  const metadata = {
    compiler: { version: "0.8.28+commit.7893614a" },
    language: "Solidity",
    settings: { ...settings, compilationTarget: { "src/A.sol": "A" }, libraries: { "src/A.sol:L": LIBRARY } },
    sources: { "src/A.sol": { keccak256: hashOf(MAIN) }, "src/b/B.sol": { keccak256: hashOf(BASE), license: "MIT" } },
  };
  const read = (files: readonly string[], change: object = {}) =>
    readMetadata(JSON.stringify({ ...metadata, ...change }), files);

  const source = read([BASE, "contract C {}", MAIN]);

  assert.deepEqual(JSON.parse((source.source as { text: string }).text), INPUT);
  assert.deepEqual([source.contract, source.compiler], ["src/A.sol:A", "0.8.28+commit.7893614a"]);
  const { sources } = metadata;
  const literal = { ...sources, "src/b/B.sol": { content: BASE } };
  assert.deepEqual(inputOf(read([MAIN], { sources: literal })).sources["src/b/B.sol"], { content: BASE });
  assert.throws(() => read([MAIN]), /the file src\/b\/B\.sol of the metadata is missing/);
  assert.throws(() => read([MAIN, `${BASE} `]), /is missing/);
  assert.throws(() => read([BASE, MAIN], { settings }), /does not name one contract/);
  assert.throws(() => read([BASE, MAIN], { compiler: { version: "nightly" } }), /no released solc/);
  assert.throws(() => readMetadata("[", []), SourceFault);
});

test("records are found in envelopes and lists, and other JSON has none", () => {
  assert.deepEqual(recordsIn({ status: "1", message: "OK", result: [etherscan] }), [etherscan]);
  assert.deepEqual(recordsIn([{ result: [etherscan] }, etherscan]), [etherscan, etherscan]);
  for (const json of [
    null,
    1,
    "text",
    [],
    {},
    { result: "0x" },
    { abi: [] },
    JSON.parse("[".repeat(5000) + "]".repeat(5000)),
  ]) {
    assert.deepEqual(recordsIn(json), []);
  }
});

test("a list may have any number of records", () => {
  assert.equal(recordsIn({ items: Array.from({ length: 300_000 }, () => etherscan) }).length, 300_000);
});

test("a record that cannot be compiled is refused with what is wrong", () => {
  const refused = (change: object, reason: RegExp) =>
    assert.throws(() => readSourceRecord({ ...etherscan, ...change }), reason);

  refused({ SourceCode: "" }, /has no SourceCode/);
  refused({ SourceCode: '{"a.sol"' }, /not JSON/);
  refused({ SourceCode: '{"a.sol":"text"}' }, /a\.sol has no content/);
  refused({ CompilerVersion: "vyper:0.3.10" }, /Vyper is not compiled/);
  refused({ CompilerVersion: "v0.8.28-nightly" }, /no released solc/);
  refused({ ContractName: "A B" }, /name of the contract/);
  refused({ SourceCode: BASE, Library: "L:0x12" }, /library has no name or address/);
  const similar = { is_verified: false, source_code: BASE, name: "A", compiler_version: "v0.8.28" };
  assert.throws(() => readSourceRecord(similar), /not verified itself/);
  assert.throws(() => readSourceRecord({ ...similar, is_verified: true, language: "vyper" }), /vyper is not compiled/);
  assert.throws(() => readSourceRecord({ compilation: {} }), /fields=compilation,stdJsonInput/);
});
