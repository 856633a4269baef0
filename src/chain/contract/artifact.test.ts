import assert from "node:assert/strict";
import { test } from "node:test";
import { contractNamed } from "../../../test/support/contracts.ts";
import { MAX_COMPILED_LENGTH, MAX_ENTRIES, MAX_HOLES, MAX_OWN_ABI_LENGTH, parseArtifact } from "./artifact.ts";

const ABI = [{ type: "function", name: "f", inputs: [] }];
const CODE = `0x6001600255${"5b".repeat(100)}`;

const hardhat = (fields: object = {}) => ({
  _format: "hh-sol-artifact-1",
  contractName: "Own",
  sourceName: "contracts/Own.sol",
  abi: ABI,
  bytecode: "0x",
  deployedBytecode: CODE,
  linkReferences: {},
  deployedLinkReferences: {},
  ...fields,
});

const parse = (json: unknown, place = "artifacts/contracts/Own.sol/Own.json") =>
  parseArtifact(typeof json === "string" ? json : JSON.stringify(json), place);

test("an artifact that a package publishes is read", () => {
  const artifact = parse(contractNamed("TimelockController"))!;

  assert.deepEqual(
    [artifact.name, artifact.path],
    ["TimelockController", "contracts/governance/TimelockController.sol"],
  );
  assert.equal(artifact.abi.functions.get("0x01d5062a")?.[0]?.name, "schedule");
  assert.ok(artifact.compiled!.code.length > 5000);
});

test("a contract is named by its artifact, else by its metadata, else by its file", () => {
  const foundry = { abi: ABI, bytecode: { object: "0x" }, deployedBytecode: { object: CODE } };
  const metadata = { settings: { compilationTarget: { "src/Own.sol": "Own" } } };

  const named = [
    parse(hardhat(), "x.json"),
    parse({ ...foundry, metadata }, "out/Other.sol/Other.json"),
    parse(foundry, "out/Own.sol/Own.0.8.20.json"),
    parse(foundry, "Own.json"),
  ].map((artifact) => [artifact!.name, artifact!.path]);

  assert.deepEqual(named, [
    ["Own", "contracts/Own.sol"],
    ["Own", "src/Own.sol"],
    ["Own", "Own.sol"],
    ["Own", ""],
  ]);
});

test("a mark before the text is no part of it", () => {
  assert.equal(parse(`\ufeff${JSON.stringify(hardhat())}`)?.name, "Own");
});

test("JSON that is no artifact is nothing", () => {
  const others = [null, 7, "[]", [], [hardhat()], {}, { abi: {} }, { abi: ABI }, { _format: "hh-sol-cache-2" }];
  for (const json of others) assert.equal(parse(json), undefined, JSON.stringify(json));
  assert.equal(parse(hardhat({ deployedBytecode: 7 })), undefined);
  assert.equal(parse(hardhat({ deployedBytecode: { object: null } })), undefined);
});

test("immutable references and library placeholders are open positions", () => {
  const placeholder = `__$${"ab".repeat(17)}$__`;
  const code = `0x73${placeholder}${"5b".repeat(60)}73__contracts/Old.sol:Old_________________50${"5b".repeat(60)}`;
  const deployedLinkReferences = { "a.sol": { A: [{ start: 1, length: 20 }] } };

  const old = parse(hardhat({ deployedBytecode: code, deployedLinkReferences }))!.compiled!;
  const withReferences = parse(hardhat({ immutableReferences: { 7: [{ start: 30, length: 32 }] } }))!.compiled!;

  assert.deepEqual(old.pattern.values, [
    [1, 20],
    [82, 20],
  ]);
  assert.deepEqual(withReferences.pattern.values, [[30, 32]]);
});

test("a zero word is an immutable only where the compiler lists no references", () => {
  const deployedBytecode = `0x5b7f${"00".repeat(32)}${"5b".repeat(60)}`;

  const values = (fields: object) => parse(hardhat({ deployedBytecode, ...fields }))!.compiled!.pattern.values;

  assert.deepEqual(values({}), [[2, 32]]);
  assert.deepEqual(values({ immutableReferences: {} }), []);
});

test("an artifact without distinctive code keeps its signatures", () => {
  const codes = [
    "0x",
    `0x${"5b".repeat(MAX_COMPILED_LENGTH + 1)}`,
    `0x73${"00".repeat(20)}30146080604052600080fdfe`,
    `0x${`7f${"00".repeat(32)}`.repeat(20)}`,
  ];
  for (const deployedBytecode of codes) {
    const artifact = parse(hardhat({ deployedBytecode }))!;
    assert.equal(artifact.compiled, undefined);
    assert.ok(artifact.abi.functions.get("0x26121ff0"));
  }
});

test("what cannot be used is refused with the reason", () => {
  const entries = (count: number) => Array.from({ length: count }, (_, i) => ({ ...ABI[0], name: `f${i}` }));
  const reference = (start: unknown, length: unknown) => hardhat({ immutableReferences: { 1: [{ start, length }] } });
  const refused: [json: unknown, reason: RegExp][] = [
    ["", /not JSON/],
    ["{", /not JSON/],
    [hardhat({ contractName: "no name" }), /no name/],
    [hardhat({ contractName: { a: 1 } }), /no name/],
    [hardhat({ sourceName: "a\u001b[2J" }), /path of its source/],
    [hardhat({ sourceName: "a".repeat(2000) }), /path of its source/],
    [hardhat({ abi: [null] }), /the ABI cannot be used/],
    [hardhat({ abi: entries(MAX_ENTRIES + 1) }), /more than 1500 entries/],
    [hardhat({ abi: [{ ...ABI[0], notice: "x".repeat(MAX_OWN_ABI_LENGTH) }] }), /more than 1048576 characters/],
    [hardhat({ deployedBytecode: "0x5b5" }), /not hex/],
    [hardhat({ deployedBytecode: "0xzz" }), /not hex/],
    [hardhat({ deployedBytecode: "0xō0" }), /not hex/],
    [hardhat({ deployedBytecode: `0x5__$${"ab".repeat(17)}$__5b5` }), /not hex/],
    [hardhat({ deployedBytecode: "0x5b__$abc$__" }), /not hex/],
    [reference(-1, 20), /does not lie in its code/],
    [reference(90, 20), /does not lie in its code/],
    [reference(0, 33), /does not lie in its code/],
    [reference(0.5, 20), /does not lie in its code/],
    [reference("0", 20), /does not lie in its code/],
    [reference({}, []), /does not lie in its code/],
    [hardhat({ deployedLinkReferences: { a: { A: [null] } } }), /does not lie in its code/],
    [hardhat({ immutableReferences: { 1: Array(MAX_HOLES + 1).fill({ start: 0, length: 1 }) } }), /more than 4096/],
  ];
  for (const [json, reason] of refused) {
    assert.throws(() => parse(json), { code: "invalid_argument", message: reason });
  }
});

test("however deep it is nested, it is read or refused", () => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const within = JSON.stringify(hardhat({ abi: [{ ...ABI[0], outputs: 0 }] })).replace(":0}", `:${deep}}`);

  assert.equal(parse(deep), undefined);
  try {
    assert.equal(parse(within)?.name, "Own");
  } catch (error) {
    // Node versions differ in the depth they can serialize.
    assert.match((error as Error).message, /nested too deep/);
  }
});
