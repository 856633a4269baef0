import assert from "node:assert/strict";
import { test } from "node:test";
import { Interface } from "ethers";
import { toFunctionSelector } from "viem";
import { randomTypes } from "../../../test/support/abiCases.ts";
import { contractNamed } from "../../../test/support/contracts.ts";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { threadCpuMs } from "../../../test/support/threadCpu.ts";
import { MAX_ABI_LENGTH, MAX_ALIKE, MAX_PARAMETERS, parseAbi, readAbi } from "./parseAbi.ts";
import { parseSignature, parseTypes } from "./parseSignature.ts";
import { canonicalText, fullText, selectorOf, topicOf } from "./signature.ts";
import { MAX_DEPTH } from "./type.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 300);

test("a signature is read with names or without", () => {
  const transfer = parseSignature("Transfer(address indexed from, address indexed to, uint value)");

  assert.equal(canonicalText(transfer), "Transfer(address,address,uint256)");
  assert.equal(fullText(transfer), "Transfer(address indexed from, address indexed to, uint256 value)");
  assert.equal(topicOf(transfer), "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
  assert.equal(selectorOf(parseSignature("transfer(address,uint256)")), "0xa9059cbb");
  assert.equal(fullText(parseSignature("f()")), "f()");
  const nested = parseSignature("f(tuple(uint8,(bytes,string)[2])[] parts, bool)");
  assert.equal(fullText(nested), "f((uint8,(bytes,string)[2])[] parts, bool)");
});

test(`random signatures have the selector viem computes (seed ${SEED})`, () => {
  const random = new Random(SEED);
  for (let i = 0; i < CASES; i++) {
    const text = `f${i}(${randomTypes(random, random.int(6)).map((type) => type.text)})`;

    const signature = parseSignature(text);

    assert.equal(canonicalText(signature), text);
    assert.equal(selectorOf(signature), toFunctionSelector(text));
  }
});

test("what is no signature is refused", () => {
  const refused = [
    "",
    "f",
    "f(",
    "f(uint256",
    "f(uint256))",
    "f(uint256,)",
    "f(,uint256)",
    "f(uint7)",
    "f(bytes33)",
    "f(uint256[0])",
    "f(uint256[1e3])",
    "f(uint256[99999999999])",
    "f(())",
    "f(address 1st)",
    "f(address a b)",
    "1f()",
    "f g()",
    "f() returns (bool)",
    `f(uint256${"[]".repeat(MAX_DEPTH + 1)})`,
    `f(${"(".repeat(5000)}uint8${")".repeat(5000)})`,
    `f(${"uint256,".repeat(5000)}bool)`,
  ];
  for (const text of refused) {
    assert.throws(() => parseSignature(text), { name: "ChainError", code: "invalid_argument" }, text.slice(0, 60));
  }
  assert.throws(() => parseTypes("bool)("), { code: "invalid_argument" });
});

test("the ABIs of real contracts have the functions, events and errors that ethers finds in them", () => {
  for (const name of [
    "ERC721PresetMinterPauserAutoId",
    "TransparentUpgradeableProxy",
    "Governor",
    "IERC3156FlashLender",
  ]) {
    const { abi } = contractNamed(name);
    const ours = readAbi(abi);
    const theirs = new Interface(abi);

    theirs.forEachFunction((entry) => {
      assert.equal(canonicalText(ours.functions.get(entry.selector as `0x${string}`)![0]!), entry.format("sighash"));
    });
    theirs.forEachEvent((entry) => {
      assert.equal(canonicalText(ours.events.get(entry.topicHash as `0x${string}`)![0]!), entry.format("sighash"));
    });
    theirs.forEachError((entry) => {
      assert.equal(canonicalText(ours.errors.get(entry.selector as `0x${string}`)![0]!), entry.format("sighash"));
    });
    assert.deepEqual(
      ours.constructorInputs?.map(({ type }) => type.text),
      theirs.deploy.inputs.map(({ type }) => type),
    );
  }
});

test("an ABI's entries are read as compilers write them", () => {
  const abi = parseAbi(
    JSON.stringify([
      { name: "old", inputs: [{ name: "", type: "tuple[2][]", components: [{ type: "uint8" }, { type: "bytes" }] }] },
      { type: "function", name: "none" },
      { type: "fallback", stateMutability: "payable" },
      { type: "receive" },
      { type: "constructor", inputs: [{ name: "owner", type: "address" }] },
      { type: "event", name: "Note", anonymous: true, inputs: [{ type: "bytes4", name: "sig", indexed: true }] },
      { type: "error", name: "Bad", inputs: [{ type: "uint256", name: "code" }] },
      { type: "function", name: "ofLibrary", inputs: [{ name: "self", type: "Lib.Data storage" }] },
      { type: "function", name: "ofOldVyper", inputs: [{ name: "amount", type: "fixed168x10" }] },
    ]),
  );

  const texts = [...(abi.functions as Map<string, never[]>).values()].flat().map(fullText);
  assert.deepEqual(texts, ["old((uint8,bytes)[2][])", "none()"]);
  assert.deepEqual(abi.anonymousEvents.map(fullText), ["Note(bytes4 indexed sig)"]);
  assert.deepEqual(
    abi.constructorInputs?.map(({ name, type }) => [name, type.text]),
    [["owner", "address"]],
  );
  assert.equal(abi.errors.get(selectorOf(parseSignature("Bad(uint256)")))?.length, 1);
});

test("an ABI without the form of one is refused with a reason", () => {
  const input = (type: unknown, more = {}) => [{ type: "function", name: "f", inputs: [{ name: "a", type, ...more }] }];
  const nested = (depth: number): object =>
    depth === 0 ? { type: "uint8" } : { type: "tuple", components: [nested(depth - 1)] };
  const cyclic: { type: string; components: object[] } = { type: "tuple", components: [] };
  cyclic.components.push(cyclic, cyclic);
  const refused: [unknown, RegExp][] = [
    [{}, /array of entries/],
    [null, /array of entries/],
    [[null], /entry is an object/],
    [[[]], /entry is an object/],
    [[{ type: "struct" }], /no entry has this type/],
    [[{ type: "function" }], /name of this function/],
    [[{ type: "function", name: "f(address) // safe" }], /name of this function/],
    [[{ type: "function", name: "f", inputs: {} }], /array of parameters/],
    [[{ type: "function", name: "f", inputs: [1] }], /parameter is an object/],
    [[{ type: "function", name: "f", inputs: [{ name: "<b>", type: "bool" }] }], /no name/],
    [input(undefined), /type is a string/],
    [input("uint256[-1]"), /expected \[\] or \[n\]/],
    [input("uint256[0]"), /at least one item/],
    [input("tuple"), /at least one member/],
    [input("tuple", { components: [nested(MAX_DEPTH + 1)] }), /deep/],
    [input("tuple", { components: [nested(5000)] }), /deep/],
    [[{ type: "event", name: "E", inputs: Array(4).fill({ type: "bool", indexed: true }) }], /at most 3 indexed/],
    [[{ type: "function", name: "f", inputs: [cyclic] }], /deep|parameters/],
    [Array(MAX_PARAMETERS + 1).fill({ type: "receive" }), /more than/],
  ];
  for (const [json, reason] of refused) {
    assert.throws(() => readAbi(json), { name: "ChainError", code: "invalid_argument", message: reason });
  }
});

test("an ABI that is made to take long does not", () => {
  const names = Array.from({ length: 30_000 }, (_, i) => ({ name: "f", inputs: [{ name: `a${i}`, type: "bool" }] }));
  const layouts = Array.from({ length: 3000 }, (_, i) => ({
    type: "event",
    name: "E",
    inputs: Array.from({ length: 20 }, (_, at) => ({
      type: "bool",
      indexed: [i % 20, (i * 7) % 19, i % 17].includes(at),
    })),
  }));
  const wide = { type: "tuple", components: Array(60_000).fill({ type: "uint256[2][2][2][2]" }) };
  const deep = {
    name: "f",
    inputs: [
      Array(11)
        .fill(0)
        .reduce((item) => ({ type: "tuple", components: [item] }), wide),
    ],
  };
  const start = threadCpuMs();

  const alike = readAbi(names);
  const events = readAbi(layouts);
  const large = readAbi([deep]);

  assert.equal(alike.functions.get(selectorOf(parseSignature("f(bool)")))?.length, 1);
  assert.equal((large.functions as Map<string, unknown>).size, 0);
  assert.equal([...(events.events as Map<string, unknown[]>).values()][0]?.length, MAX_ALIKE);
  assert.ok(threadCpuMs() - start < 5000);
});

test("a file that is not JSON, or is too large or too deep, is refused", () => {
  const refused = ["", "[", "<html>", "[".repeat(1 << 20) + "]".repeat(1 << 20), " ".repeat(MAX_ABI_LENGTH + 1)];
  for (const text of refused) {
    assert.throws(() => parseAbi(text), { name: "ChainError", code: "invalid_argument" });
  }
});
