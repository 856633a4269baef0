import assert from "node:assert/strict";
import { test } from "node:test";
import { AbiCoder } from "ethers";
import { encodeAbiParameters } from "viem";
import { mutate, randomTypes, randomValue } from "../../../test/support/abiCases.ts";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { threadCpuMs } from "../../../test/support/threadCpu.ts";
import type { Bytes } from "../encoding/bytes.ts";
import { fromHex, toHex } from "../encoding/hex.ts";
import { decodeParameters } from "./decode.ts";
import { encodeParameters } from "./encode.ts";
import { parseTypes } from "./parseSignature.ts";
import type { AbiType } from "./type.ts";
import type { AbiValue } from "./value.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 600);

const coder = AbiCoder.defaultAbiCoder();

/** Ethers has no `function` type and decodes strings leniently, so both are mapped to equivalent types. */
const ethersTypes = (types: readonly AbiType[]) =>
  types.map(({ text }) =>
    text.replaceAll("function", "bytes24").replaceAll("string", "bytes").replaceAll("(", "tuple("),
  );

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return toHex(value);
  if (typeof value === "string") return value.toLowerCase();
  return typeof value === "object" && value !== null ? Array.from(value as Iterable<unknown>, plain) : value;
}

function expected(types: readonly AbiType[], data: Bytes): unknown {
  const names = ethersTypes(types);
  try {
    const values = coder.decode(names, data).toArray(true);
    return coder.encode(names, values) === toHex(data) ? plain(values) : undefined;
  } catch {
    return undefined;
  }
}

test(`what viem and ethers encode decodes, and is encoded the same again (seed ${SEED})`, () => {
  const random = new Random(SEED);
  for (let i = 0; i < CASES; i++) {
    const types = randomTypes(random, random.int(5));
    const values = types.map((type) => randomValue(random, type));

    const encoded = encodeParameters(types, values);

    assert.equal(
      toHex(encoded),
      coder.encode(ethersTypes(types), values.map(plain)),
      types.map((type) => type.text).join(),
    );
    assert.equal(toHex(encoded), viemEncoded(types, values));
    assert.deepEqual(decodeParameters(types, encoded)?.map(plain), values.map(plain));
  }
});

function viemEncoded(types: readonly AbiType[], values: readonly AbiValue[]): string {
  return encodeAbiParameters(types.map(viemType), values.map(plain) as never);
}

function viemType(type: AbiType): { type: string; components?: object[] } {
  let base = type;
  let brackets = "";
  while (base.kind === "array") {
    brackets = `[${base.length ?? ""}]${brackets}`;
    base = base.item;
  }
  if (base.kind === "tuple") return { type: `tuple${brackets}`, components: base.items.map(viemType) };
  const name = base.kind === "string" ? "bytes" : base.text === "function" ? "bytes24" : base.text;
  return { type: `${name}${brackets}` };
}

test(`mutated data decodes to what ethers makes the same data of, or stays raw (seed ${SEED})`, () => {
  const random = new Random(SEED).fork("mutations");
  let decoded = 0;
  for (let i = 0; i < CASES; i++) {
    const types = randomTypes(random, random.between(1, 4));
    const encoded = encodeParameters(
      types,
      types.map((type) => randomValue(random, type)),
    );
    for (let j = 0; j < 4; j++) {
      const data = mutate(random, encoded);

      const values = decodeParameters(types, data);

      assert.deepEqual(values?.map(plain), expected(types, data), `${types.map((type) => type.text)} ${toHex(data)}`);
      if (values === undefined) continue;
      decoded++;
      assert.equal(toHex(encodeParameters(types, values)), toHex(data));
    }
  }
  assert.ok(decoded > CASES / 10, "some mutations give other values");
});

test(`random bytes neither throw nor decode to what encodes otherwise (seed ${SEED})`, () => {
  const random = new Random(SEED).fork("noise");
  for (let i = 0; i < CASES; i++) {
    const types = randomTypes(random, random.int(4));
    const data = random.bytes(32 * random.int(6));
    for (let at = 0; at < data.length; at += 32) if (random.chance(0.8)) data.fill(0, at, at + 30 + random.int(2));

    assert.deepEqual(decodeParameters(types, data)?.map(plain), expected(types, data));
  }
});

const word = (value: number | bigint) => value.toString(16).padStart(64, "0");
const decode = (types: string, ...words: (number | bigint | string)[]) =>
  decodeParameters(
    parseTypes(types),
    fromHex(`0x${words.map((each) => (typeof each === "string" ? each : word(each))).join("")}`),
  );

test("data is taken to its end, and only in its canonical form", () => {
  assert.deepEqual(decode("uint256,bool", 7, 1), [7n, true]);
  assert.deepEqual(decode(""), []);
  assert.equal(decode("", 0), undefined, "data for no parameters");
  assert.equal(decode("uint256,bool", 7, 1, 0), undefined, "a word too many");
  assert.equal(decode("uint256,bool", 7), undefined, "a word too few");
  assert.equal(decode("uint256,bool", 7, "00"), undefined, "half a word");
  assert.equal(decode("bool", 2), undefined, "no bool");
  assert.equal(decode("uint8", 256), undefined, "more than eight bits");
  assert.equal(decode("int8", 128), undefined, "a sign that is not extended");
  assert.deepEqual(decode("int8", 2n ** 256n - 128n), [-128n]);
  assert.equal(decode("address", 1n << 160n), undefined, "more than an address");
  assert.equal(decode("bytes4", 1), undefined, "more than four bytes");
});

test("tails follow one another without a gap, an overlap or a way back", () => {
  const text = Buffer.from("hi").toString("hex").padEnd(64, "0");

  assert.deepEqual(decode("string,string", 64, 128, 2, text, 2, text)?.map(plain), ["0x6869", "0x6869"]);
  assert.equal(decode("string,string", 64, 64, 2, text), undefined, "both at one place");
  assert.equal(decode("string,string", 128, 64, 2, text, 2, text), undefined, "in the wrong order");
  assert.equal(decode("string", 64, 0, 2, text), undefined, "a gap");
  assert.equal(decode("string", 0), undefined, "an offset to itself");
  assert.equal(decode("string", 32, 3, text.slice(2)), undefined, "cut");
  assert.equal(decode("string", 32, 1, text), undefined, "padding that is not zero");
  assert.equal(decode("string", 32, 2n ** 255n, text), undefined, "a length beyond the data");
  assert.equal(decode("uint256[]", 32, 2 ** 31), undefined, "more items than the data has room for");
  assert.equal(decode("uint256[999999999][999999999]", 1), undefined, "a type larger than any data");
  assert.deepEqual(decode("uint256[999999999][999999999][]", 32, 0), [[]]);
});

test("offset bombs cost no more than their length", () => {
  const depth = 15;
  const types = parseTypes(`uint256${"[]".repeat(depth)}`);
  const all = new Uint8Array(32 * 40_000);
  for (let at = 31; at < all.length; at += 32) all[at] = 32;
  const wide = parseTypes(`(string,bytes,(uint256[],string[])[])${"[]".repeat(10)}`);
  const start = threadCpuMs();

  for (let i = 0; i < 100; i++) {
    assert.equal(decodeParameters(types, all), undefined);
    assert.equal(decodeParameters(wide, all), undefined);
  }

  assert.ok(threadCpuMs() - start < 10_000);
});

test("a value that is not of its type is not encoded", () => {
  const misfits: [string, AbiValue][] = [
    ["uint8", 256n],
    ["uint8", -1n],
    ["int8", 128n],
    ["bool", 1n],
    ["address", new Uint8Array(19)],
    ["bytes4", new Uint8Array(5)],
    ["bytes", 1n],
    ["uint8[2]", [1n]],
    ["(uint8,bool)", [1n]],
    ["uint8[]", 1n],
  ];
  for (const [type, value] of misfits) {
    assert.throws(() => encodeParameters(parseTypes(type), [value]), { code: "invalid_argument" }, type);
  }
  assert.throws(() => encodeParameters(parseTypes("bool,bool"), [true]), { code: "invalid_argument" });
});
