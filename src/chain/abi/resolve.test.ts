import assert from "node:assert/strict";
import { test } from "node:test";
import { AbiCoder } from "ethers";
import {
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  encodeFunctionData,
  keccak256,
  parseAbi,
} from "viem";
import { randomTypes, randomValue } from "../../../test/support/abiCases.ts";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import type { Hex } from "../encoding/hex.ts";
import { fromHex, toHex } from "../encoding/hex.ts";
import { HashedValue } from "./event.ts";
import { readAbi } from "./parseAbi.ts";
import { parseSignature, parseTypes } from "./parseSignature.ts";
import type { Candidates } from "./resolve.ts";
import { CallSignatures, decodeCall, decodeError, decodeLog } from "./resolve.ts";
import { decodeRevert } from "./revert.ts";
import { selectorOf } from "./signature.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 300);

const ABI = parseAbi([
  "function set((address owner, bool on)[] entries, string, int8 least)",
  "event Named(string indexed name, address indexed who, string text)",
  "error Short(address who, uint256 missing)",
]);
const OWN: Candidates = { origin: "abi", signatures: readAbi(ABI) };
const TO = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
const NONE = { get: () => undefined };

const functionOf = (text: string, origin: Candidates["origin"] = "abi"): Candidates => ({
  origin,
  signatures: { functions: { get: () => [parseSignature(text)] }, events: NONE, errors: NONE },
});

test("a call decodes to its signature and to values of its types", () => {
  const input = encodeFunctionData({ abi: ABI, functionName: "set", args: [[{ owner: TO, on: true }], "hé", -5] });

  const decoded = decodeCall(fromHex(input), [OWN])!;

  assert.equal(decoded.signature.name, "set");
  assert.equal(decoded.id, input.slice(0, 10));
  assert.deepEqual(decoded.values, [[[fromHex(TO), true]], Buffer.from("hé"), -5n]);
  assert.deepEqual([decoded.origin, decoded.isGuess, "trailing" in decoded], ["abi", false, false]);
});

test("a log decodes to values, and to hashes where its topics have no more", () => {
  const topics = encodeEventTopics({ abi: ABI, eventName: "Named", args: { name: "x", who: TO } });
  const data = encodeAbiParameters([{ type: "string" }], ["hello"]);

  const decoded = decodeLog(
    { topics: Buffer.concat(topics.map((each) => fromHex(each as Hex))), data: fromHex(data) },
    [OWN],
  )!;

  assert.equal(decoded.id, topics[0]);
  assert.deepEqual(decoded.values, [
    new HashedValue(fromHex(keccak256(Buffer.from("x")))),
    fromHex(TO),
    Buffer.from("hello"),
  ]);
});

test(`bytes after the values of a call are reported separately (seed ${SEED})`, () => {
  const random = new Random(SEED).fork("trailing");
  const coder = AbiCoder.defaultAbiCoder();
  for (let i = 0; i < CASES; i++) {
    const names = randomTypes(random, random.between(0, 5), 2).map(({ text }) => text);
    const types = parseTypes(names.join().replaceAll("function", "bytes24").replaceAll("string", "bytes"));
    const values = types.map((type) => randomValue(random, type));
    const encoded = coder.encode(
      types.map(({ text }) => text.replaceAll("(", "tuple(")),
      values.map(forEthers),
    );
    const signature = parseSignature(`f(${types.map(({ text }) => text).join()})`);
    const tail = random.bytes(random.between(1, 100));
    const input = Buffer.concat([fromHex(selectorOf(signature)), fromHex(encoded), tail]);
    const functions = new Map([[selectorOf(signature), [signature]]]);

    const decoded = decodeCall(input, [{ origin: "abi", signatures: { functions, events: NONE, errors: NONE } }]);

    assert.deepEqual(decoded?.values.map(forEthers), values.map(forEthers), `${types.map(({ text }) => text)}`);
    assert.equal(toHex(decoded!.trailing!), toHex(tail));
  }
});

test(`a call has the name of the function that it decodes to (seed ${SEED})`, () => {
  const random = new Random(SEED).fork("names");
  const functions = new Map<Hex, ReturnType<typeof parseSignature>[]>();
  const candidates = (["abi", "bytecode"] as const).map((origin) => ({
    origin,
    signatures: { functions, events: NONE, errors: NONE },
  }));
  let named = 0;

  for (let i = 0; i < CASES; i++) {
    const types = randomTypes(random, random.between(0, 4), 2);
    const signature = parseSignature(`f${i}(${types.map(({ text }) => text).join()})`);
    const encoded = AbiCoder.defaultAbiCoder().encode(
      types.map(({ text }) => text.replaceAll("(", "tuple(").replaceAll("function", "bytes24")),
      types.map((type) => forEthers(randomValue(random, type))),
    );
    // Two functions with one selector; both fit the data.
    const other = parseSignature(
      `g${i}(${randomTypes(random, 1, 1)
        .map(({ text }) => text)
        .join()})`,
    );
    const id = selectorOf(signature);
    functions.clear();
    functions.set(id, random.shuffle([signature, other]));
    const input = Buffer.concat([fromHex(id), fromHex(encoded as Hex), random.bytes(random.pick([0, 0, 1, 32]))]);
    if (random.chance(0.5)) input[random.int(input.length)]! ^= 1 << random.int(8);

    const name = new CallSignatures(candidates).signatureOf(input)?.name;

    assert.equal(
      name,
      decodeCall(input, candidates)?.signature.name,
      `${toHex(input)} by ${types.map(({ text }) => text)}`,
    );
    if (name !== undefined) named++;
  }
  assert.ok(named > CASES / 4 && named < CASES, `${named} of ${CASES} have a name`);
});

test("a signature that takes all of a call goes before one that leaves bytes, whatever their order", () => {
  const input = new Uint8Array(4 + 64);
  const [short, whole] = [functionOf("f(uint256)"), functionOf("f(uint256,uint256)", "known")];

  assert.equal(decodeCall(input, [short, whole])?.origin, "known");
  assert.equal(decodeCall(input, [short, whole])?.trailing, undefined);
  assert.equal(decodeCall(input, [short, functionOf("g(bool)", "known")])?.signature.name, "f");
});

test("a guess decodes only what it takes to the end", () => {
  const guess = functionOf("f(uint256)", "bytecode");

  assert.equal(decodeCall(new Uint8Array(4 + 32), [guess])?.isGuess, true);
  assert.equal(decodeCall(new Uint8Array(4 + 33), [guess]), undefined);
});

test("errors and logs with bytes after their values stay raw", () => {
  const own = encodeErrorResult({ abi: ABI, errorName: "Short", args: [TO, 3n] });

  assert.deepEqual(decodeError(fromHex(own), [OWN])?.values, [fromHex(TO), 3n]);
  assert.equal(decodeError(fromHex(`${own}00`), [OWN]), undefined);
  assert.deepEqual(decodeRevert(fromHex(`${own}00`), [OWN]), { raw: fromHex(`${own}00`) });
});

function forEthers(value: unknown): unknown {
  if (value instanceof Uint8Array) return toHex(value);
  return Array.isArray(value) ? value.map(forEthers) : value;
}
