import assert from "node:assert/strict";
import { test } from "node:test";
import { AbiCoder, Interface } from "ethers";
import {
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  encodeFunctionData,
  keccak256,
  parseAbi,
} from "viem";
import { randomTypes, randomValue } from "../../../../test/support/abiCases.ts";
import { Random } from "../../../../test/support/random.ts";
import { firstSeed } from "../../../../test/support/seed.ts";
import { readAbi } from "../../../chain/abi/parseAbi.ts";
import { parseSignature, parseTypes } from "../../../chain/abi/parseSignature.ts";
import type { Candidates } from "../../../chain/abi/resolve.ts";
import { decodeCall, decodeLog } from "../../../chain/abi/resolve.ts";
import { decodeRevert } from "../../../chain/abi/revert.ts";
import { topicOf } from "../../../chain/abi/signature.ts";
import type { Log } from "../../../chain/block/receipt.ts";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { fromHex, toHex } from "../../../chain/encoding/hex.ts";
import { presentCall, presentEvent, presentRevert } from "./presentDecoded.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 300);

const TEXTS = [
  "function transfer(address _to, uint256 _value)",
  "function set((address owner, bool on)[] entries, string, bytes raw)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "event Named(string indexed name, uint256[2] indexed pair, string text)",
  "error Short(address who, uint256 missing)",
] as const;
const ABI = parseAbi(TEXTS);
const OWN: Candidates = { origin: "abi", signatures: readAbi(ABI) };
const NONE = { get: () => undefined };
const TO = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

const bytes = (hex: Hex) => fromHex(hex);

function servedCall(input: Bytes, candidates: readonly Candidates[]) {
  const decoded = decodeCall(input, candidates);
  return decoded && presentCall(decoded);
}

function servedLog(log: Pick<Log, "topics" | "data">, candidates: readonly Candidates[]) {
  const decoded = decodeLog(log, candidates);
  return decoded && presentEvent(decoded);
}

const servedRevert = (data: Bytes, candidates: readonly Candidates[]) => presentRevert(decodeRevert(data, candidates));

const logOf = (topics: readonly unknown[], data: Hex) => ({
  topics: fromHex(`0x${topics.map((topic) => (topic as string).slice(2)).join("")}`),
  data: fromHex(data),
});

test("a call is shown with its selector, its text and its values as explorers do", () => {
  const input = encodeFunctionData({ abi: ABI, functionName: "transfer", args: [TO, 10n ** 30n] });

  const decoded = servedCall(bytes(input), [OWN]);

  assert.deepEqual(decoded, {
    method_id: "a9059cbb",
    method_call: "transfer(address _to, uint256 _value)",
    parameters: [
      { name: "_to", type: "address", value: TO },
      { name: "_value", type: "uint256", value: "1000000000000000000000000000000" },
    ],
    origin: "abi",
    is_guess: false,
  });
});

test("tuples and arrays are nested lists, booleans words, bytes hex, and unnamed parameters have no name", () => {
  const args = [
    [
      { owner: TO, on: true },
      { owner: TO, on: false },
    ],
    "hé",
    "0xABCD",
  ] as const;
  const input = encodeFunctionData({ abi: ABI, functionName: "set", args });

  const decoded = servedCall(bytes(input), [OWN])!;

  assert.equal(decoded.method_call, "set((address,bool)[] entries, string, bytes raw)");
  assert.deepEqual(decoded.parameters, [
    {
      name: "entries",
      type: "(address,bool)[]",
      value: [
        [TO, "true"],
        [TO, "false"],
      ],
    },
    { name: "", type: "string", value: "hé" },
    { name: "raw", type: "bytes", value: "0xabcd" },
  ]);
});

test("a string that is not UTF-8 is shown as hex", () => {
  const input = `${encodeFunctionData({ abi: ABI, functionName: "set", args: [[], "", "0x"] }).slice(0, 10)}${encodeAbiParameters([{ type: "bool[]" }, { type: "bytes" }, { type: "bytes" }], [[], "0xff00", "0x"]).slice(2)}`;

  assert.equal(servedCall(bytes(input as Hex), [OWN])!.parameters[1]!.value, "0xff00");
});

test("what follows the values of a call is shown with it", () => {
  const input = encodeFunctionData({ abi: ABI, functionName: "transfer", args: [TO, 1n] });

  const decoded = servedCall(bytes(`${input}00c0ffee`), [OWN]);

  const { trailing_data, ...rest } = decoded!;
  assert.equal(trailing_data, "0x00c0ffee");
  assert.deepEqual(rest, servedCall(bytes(input), [OWN]));
});

test("a call with less than its parameters, or of an unknown selector, stays raw", () => {
  const input = encodeFunctionData({ abi: ABI, functionName: "transfer", args: [TO, 1n] });

  assert.equal(servedCall(bytes(input).subarray(0, 67), [OWN]), undefined);
  assert.equal(servedCall(bytes("0xa9059cbc"), [OWN]), undefined);
  assert.equal(servedCall(bytes("0xa9059c"), [OWN]), undefined);
  assert.equal(servedCall(bytes("0x"), [OWN]), undefined);
  assert.equal(servedCall(bytes(input), []), undefined);
});

test("the first candidate that takes the call to its end is used, and a guess says so", () => {
  const input = bytes(encodeFunctionData({ abi: ABI, functionName: "transfer", args: [TO, 1n] }));
  const as = (origin: Candidates["origin"], type: string): Candidates => {
    const functions = { get: () => [parseSignature(`guess(${type},${type})`)] };
    return { origin, signatures: { functions, events: NONE, errors: NONE } };
  };

  assert.equal(servedCall(input, [as("known", "bool"), as("bytecode", "uint256"), OWN])?.origin, "bytecode");
  assert.equal(servedCall(input, [as("known", "bool"), as("bytecode", "uint256"), OWN])?.is_guess, true);
  assert.equal(servedCall(input, [as("bytecode", "bool"), OWN])?.is_guess, false);
});

test("a log is shown with what is indexed; a value of more than a word is there as its hash", () => {
  const pair = encodeAbiParameters([{ type: "uint256[2]" }], [[1n, 2n]]);
  const [hash] = encodeEventTopics({ abi: ABI, eventName: "Named" });
  const topics = [hash, keccak256("0x78"), keccak256(pair)];
  const text = encodeAbiParameters([{ type: "string" }], ["hello"]);

  const decoded = servedLog(logOf(topics, text), [OWN])!;

  assert.equal(decoded.method_id, hash.slice(2, 10));
  assert.equal(decoded.method_call, "Named(string indexed name, uint256[2] indexed pair, string text)");
  assert.deepEqual(decoded.parameters, [
    { name: "name", type: "string", value: keccak256("0x78"), indexed: true },
    { name: "pair", type: "uint256[2]", value: keccak256(pair), indexed: true },
    { name: "text", type: "string", value: "hello", indexed: false },
  ]);
});

test("a log whose topics or data are not the event's stays raw", () => {
  const topics = encodeEventTopics({ abi: ABI, eventName: "Transfer", args: { from: TO, to: TO } });
  const value = encodeAbiParameters([{ type: "uint256" }], [5n]);
  const dirty = [topics[0], topics[1], `0x01${(topics[2] as string).slice(4)}`];

  assert.equal(servedLog(logOf(topics, value), [OWN])?.parameters[2]?.value, "5");
  assert.equal(servedLog(logOf([...topics, value], "0x"), [OWN]), undefined, "of an ERC-721 token");
  assert.equal(servedLog(logOf(topics.slice(0, 2), value), [OWN]), undefined, "a topic too few");
  assert.equal(servedLog(logOf(topics, `${value}00`), [OWN]), undefined, "a byte too many");
  assert.equal(servedLog(logOf(dirty, value), [OWN]), undefined, "more than an address");
  assert.equal(servedLog(logOf([], "0x"), [OWN]), undefined, "nothing");
});

test("an anonymous event is found by what fits its topics and data", () => {
  const inputs = ["bytes4", "address", "bytes32", "bytes32", "bytes"].map((type, i) => ({ type, indexed: i < 4 }));
  const note = readAbi([{ type: "event", name: "LogNote", anonymous: true, inputs }]);
  const topics = [
    `0x12345678${"0".repeat(56)}`,
    `0x${"0".repeat(24)}${"ab".repeat(20)}`,
    `0x${"11".repeat(32)}`,
    `0x${"22".repeat(32)}`,
  ];
  const data = encodeAbiParameters([{ type: "bytes" }], ["0x99"]);

  const decoded = servedLog(logOf(topics, data), [OWN, { origin: "abi", signatures: note }]);

  assert.equal(decoded?.parameters[0]?.value, "0x12345678");
  assert.equal(decoded?.method_id, topicOf(note.anonymousEvents[0]!).slice(2, 10));
  assert.equal(servedLog(logOf(topics.slice(1), data), [{ origin: "abi", signatures: note }]), undefined);
});

test("an event that is named by its topic goes before an anonymous one that fits", () => {
  const inputs = ["bytes32", "bytes32", "bytes32", "uint256"].map((type, i) => ({ type, indexed: i < 3 }));
  const fitting = readAbi([{ type: "event", name: "Any", anonymous: true, inputs }]);
  const topics = encodeEventTopics({ abi: ABI, eventName: "Transfer", args: { from: TO, to: TO } });
  const log = logOf(topics, encodeAbiParameters([{ type: "uint256" }], [5n]));

  assert.match(servedLog(log, [{ origin: "abi", signatures: fitting }, OWN])!.method_call, /^Transfer/);
  assert.match(servedLog(log, [{ origin: "abi", signatures: fitting }])!.method_call, /^Any/);
});

test("an empty reason may have the word of zeros that older compilers gave it, and nothing else behind it", () => {
  const word = (last: number) => `${"0".repeat(62)}${last.toString(16).padStart(2, "0")}`;
  const revert = (...words: number[]) => servedRevert(fromHex(`0x08c379a0${words.map(word).join("")}`), []);
  const decoded = revert(0x20, 0, 0);

  assert.ok(decoded !== null && "text" in decoded);
  assert.equal(decoded.text, "");
  assert.deepEqual(decoded, revert(0x20, 0));
  for (const words of [
    [0x20, 0, 1],
    [0x20, 0, 0, 0],
    [0x40, 0, 0],
    [0x20, 1, 0, 0],
  ]) {
    assert.ok("raw" in revert(...words)!, `${words}`);
  }
});

test("a revert is nothing, an error of the language with its text, a contract's own, or raw", () => {
  const standard = parseAbi(["error Error(string reason)", "error Panic(uint256 code)"]);
  const error = encodeErrorResult({ abi: standard, errorName: "Error", args: ["not yours"] });
  const panic = encodeErrorResult({ abi: standard, errorName: "Panic", args: [0x11n] });
  const own = encodeErrorResult({ abi: ABI, errorName: "Short", args: [TO, 3n] });

  assert.equal(servedRevert(bytes("0x"), [OWN]), null);
  assert.deepEqual(servedRevert(bytes(error), []), {
    method_id: "08c379a0",
    method_call: "Error(string reason)",
    parameters: [{ name: "reason", type: "string", value: "not yours" }],
    text: "not yours",
    origin: "abi",
    is_guess: false,
  });
  assert.deepEqual(servedRevert(bytes(panic), []), {
    method_id: "4e487b71",
    method_call: "Panic(uint256 code)",
    parameters: [{ name: "code", type: "uint256", value: "17" }],
    text: "arithmetic underflow or overflow",
    origin: "abi",
    is_guess: false,
  });
  assert.deepEqual(servedRevert(bytes(own), [OWN]), {
    method_id: own.slice(2, 10),
    method_call: "Short(address who, uint256 missing)",
    parameters: [
      { name: "who", type: "address", value: TO },
      { name: "missing", type: "uint256", value: "3" },
    ],
    text: null,
    origin: "abi",
    is_guess: false,
  });
  assert.deepEqual(servedRevert(bytes(own), []), { raw: own });
  assert.deepEqual(servedRevert(bytes("0x08c379a0"), []), { raw: "0x08c379a0" });
  assert.deepEqual(servedRevert(bytes("0xff"), []), { raw: "0xff" });
});

test(`random logs are decoded as ethers parses them (seed ${SEED})`, () => {
  const random = new Random(SEED).fork("logs");
  const coder = AbiCoder.defaultAbiCoder();
  for (let i = 0; i < CASES; i++) {
    const names = randomTypes(random, random.between(1, 5), 2).map(({ text }) => text);
    const types = parseTypes(names.join().replaceAll("function", "bytes24").replaceAll("string", "bytes"));
    const isIndexed = types.map((_, at) => at < 3 && random.chance(0.5));
    const inputs = types.map(({ text }, at) => ethersType(`${text}${isIndexed[at] ? " indexed" : ""} p${at}`));
    const theirs = new Interface([`event E(${inputs.join(", ")})`]);
    const values = types.map((type) => forEthers(randomValue(random, type)));
    const encode = (at: number) => coder.encode([ethersType(types[at]!.text)], [values[at]]);
    const topicAt = (at: number) => (/[[(]|^bytes$/.test(types[at]!.text) ? toHex(random.bytes(32)) : encode(at));
    const places = [...types.keys()];
    const topics = [theirs.getEvent("E")!.topicHash, ...places.filter((at) => isIndexed[at]).map(topicAt)];
    const rest = places.filter((at) => !isIndexed[at]);
    const data = coder.encode(
      rest.map((at) => ethersType(types[at]!.text)),
      rest.map((at) => values[at]),
    );
    const event = parseSignature(`E(${inputs.join(", ")})`);
    const events = new Map([[topicOf(event), [event]]]);
    const own: Candidates = { origin: "abi", signatures: { functions: NONE, events, errors: NONE } };

    const decoded = servedLog(logOf(topics, data as Hex), [own])!.parameters;

    const parsed = theirs.parseLog({ topics, data })!.args.toArray();
    assert.deepEqual(
      decoded.map(({ value, indexed }) => ({ value, indexed })),
      parsed.map((value, at) => ({ value: shown(value), indexed: isIndexed[at] })),
    );
  }
});

const ethersType = (text: string) => text.replaceAll("(", "tuple(");

function forEthers(value: unknown): unknown {
  if (value instanceof Uint8Array) return toHex(value);
  return Array.isArray(value) ? value.map(forEthers) : value;
}

function shown(value: unknown): unknown {
  if (typeof value === "object" && value !== null && "hash" in value) return value.hash;
  if (typeof value !== "object" || value === null) return String(value);
  return Array.from(value as Iterable<unknown>, shown);
}

test("an address is shown with its checksum wherever it stands", () => {
  const abi = readAbi([{ name: "f", inputs: [{ type: "address[2][]" }] }]);
  const data = encodeAbiParameters([{ type: "address[2][]" }], [[[TO, TO]]]);
  const [selector] = [...(abi.functions as Map<Hex, unknown>).keys()];

  const decoded = servedCall(bytes(`${selector!}${data.slice(2)}`), [{ origin: "abi", signatures: abi }]);

  assert.deepEqual(decoded?.parameters[0]?.value, [[checksumAddress(fromHex(TO)), TO]]);
});
