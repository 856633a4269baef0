import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/support/fastCheck.ts";
import { parseContractName, SourceFault, standardInput } from "./standardInput.ts";

const read = (text: string) => standardInput({ format: "standard-json", text }, { path: undefined, name: "A" });
const readJson = (input: unknown) => read(JSON.stringify(input));
const SOURCES = { "A.sol": { content: "contract A {}" } };

test("the input of a compiler is taken as it is, also with Etherscan's second pair of braces", () => {
  const input = { language: "Solidity", sources: SOURCES, settings: { optimizer: { enabled: true, runs: 7 } } };
  const text = JSON.stringify(input);

  assert.deepEqual(JSON.parse(JSON.stringify(read(text))), input);
  assert.deepEqual(read(`{${text}}`), read(text));
});

test("what makes a compiler read from elsewhere is refused", () => {
  for (const urls of [["file:///etc/passwd"], ["http://127.0.0.1/"], ["bzz-raw://1"], []]) {
    assert.throws(() => readJson({ sources: { "A.sol": { urls } } }), /A\.sol has no content; nothing is read/);
  }
  const both = readJson({ sources: { "A.sol": { content: "contract A {}", urls: ["file:///etc/passwd"] } } });
  assert.deepEqual(Object.keys(both.sources["A.sol"]!), ["content"]);
});

test("settings that do not affect the code are omitted", () => {
  const settings = { modelChecker: { engine: "all" }, stopAfter: "parsing", viaIR: true };

  assert.deepEqual(readJson({ sources: SOURCES, settings }).settings, { viaIR: true });
});

test("keys of prototypes are names like others", () => {
  const text =
    '{"sources":{"__proto__":{"content":"x"},"constructor":{"content":"y"}},"settings":{"__proto__":{"a":1}}}';

  const input = read(text);

  assert.equal(({} as { content?: string }).content, undefined);
  assert.deepEqual(Object.keys(input.sources), ["__proto__", "constructor"]);
  assert.equal((input.settings as { a?: number }).a, undefined);
  assert.match(JSON.stringify(input), /"__proto__":\{"content":"x"\}/);
});

test("what is no input is refused in words", () => {
  const cases: readonly [string, RegExp][] = [
    ["", /not JSON/],
    ["{", /not JSON/],
    ["{{}", /not JSON/],
    ["[]", /no standard JSON input/],
    ["null", /no standard JSON input/],
    ["{}", /no standard JSON input/],
    ['{"sources":[]}', /no standard JSON input/],
    ['{"sources":{}}', /no source/],
    ['{"sources":{"A.sol":"contract A {}"}}', /A\.sol has no content/],
    ['{"sources":{"A.sol":{"content":1}}}', /A\.sol has no content/],
    ['{"language":"Vyper","sources":{}}', /Vyper is not compiled/],
    ['{"sources":{"A.sol":{"content":""}},"settings":[]}', /settings are no object/],
    [`${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`, /not JSON|no standard JSON input/],
  ];

  for (const [text, message] of cases) {
    assert.throws(
      () => read(text),
      (error: Error) => {
        assert.ok(error instanceof SourceFault, text.slice(0, 60));
        assert.match(error.message, message);
        return true;
      },
    );
  }
});

test("any JSON is either an input whose sources are texts, or a fault of the source", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (sources, settings) => {
      for (const input of [sources, { sources }, { sources: { "a.sol": sources }, settings }]) {
        try {
          const { sources: texts } = readJson(input);
          for (const source of Object.values(texts)) assert.equal(typeof source.content, "string");
        } catch (error) {
          assert.ok(error instanceof SourceFault, String(error));
        }
      }
    }),
    { numRuns: 500 },
  );
});

test("one file is compiled with the settings it came with", () => {
  const source = { format: "single-file", text: "x", optimizerRuns: undefined, evmVersion: undefined } as const;
  const libraries = { Sums: `0x${"11".repeat(20)}` };

  const plain = standardInput({ ...source, libraries: {} }, { path: undefined, name: "A" });
  const tuned = standardInput(
    { ...source, optimizerRuns: 0, evmVersion: "paris", viaIr: true, libraries },
    { path: "src/B.sol", name: "A" },
  );

  assert.deepEqual(plain, {
    language: "Solidity",
    sources: { "A.sol": { content: "x" } },
    settings: { optimizer: { enabled: false, runs: 200 } },
  });
  assert.deepEqual(tuned.settings, {
    optimizer: { enabled: true, runs: 0 },
    evmVersion: "paris",
    viaIR: true,
    libraries: { "src/B.sol": libraries },
  });
});

test("a contract is named with its file or without", () => {
  assert.deepEqual(parseContractName("A"), { path: undefined, name: "A" });
  assert.deepEqual(parseContractName("src/A.sol:A"), { path: "src/A.sol", name: "A" });
  assert.deepEqual(parseContractName("C:\\a.sol:$_1"), { path: "C:\\a.sol", name: "$_1" });
  for (const text of ["", "a.sol:", "1A", "A\n", "A B", "a.sol:A;", "A\u202e", "../A"]) {
    assert.throws(() => parseContractName(text), SourceFault, JSON.stringify(text));
  }
});
