import assert from "node:assert/strict";
import { test } from "node:test";
import { AbiCoder, getAddress, hexlify } from "ethers";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { toHex } from "../encoding/hex.ts";
import { encodeParameters } from "./encode.ts";
import { parseTypes } from "./parseSignature.ts";
import { parseValue } from "./parseValue.ts";

const SEED = firstSeed();
const encode = (type: string, text: string) => {
  const [parsed] = parseTypes(type);
  return toHex(encodeParameters([parsed!], [parseValue(parsed!, text)]));
};
const expected = (type: string, value: unknown) => AbiCoder.defaultAbiCoder().encode([type], [value]);

const A = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

test("what people type is encoded as ethers encodes it", () => {
  const cases: readonly (readonly [type: string, text: string, value: unknown])[] = [
    ["uint256", "1000", 1000n],
    ["uint256", " 0x3e8 ", 1000n],
    ["uint256", "1_000,000", 1_000_000n],
    ["uint256", "115792089237316195423570985008687907853269984665640564039457584007913129639935", 2n ** 256n - 1n],
    ["int8", "-128", -128n],
    ["bool", "true", true],
    ["bool", "0", false],
    ["address", A, A],
    ["address", A.toLowerCase(), A],
    ["bytes", "0x", "0x"],
    ["bytes4", "0xDEADbeef", "0xdeadbeef"],
    ["string", ' "as it is" ', ' "as it is" '],
    ["string", "", ""],
    ["uint256[]", "[]", []],
    ["uint256[]", "[1, 2,3]", [1, 2, 3]],
    ["address[2]", `[${A}, "${A}"]`, [A, A]],
    ["string[]", '["a, b", c d, "\\u00fc\\"]"]', ["a, b", "c d", 'ü"]']],
    [
      "(uint256,(bool,bytes)[])",
      "(7, [[true, 0x01], (false, 0x)])",
      [
        7,
        [
          [true, "0x01"],
          [false, "0x"],
        ],
      ],
    ],
  ];
  for (const [type, text, value] of cases) assert.equal(encode(type, text), expected(type, value), `${type} ${text}`);
});

test("what does not fit is refused in words", () => {
  const cases: readonly (readonly [type: string, text: string, reason: RegExp])[] = [
    ["uint8", "256", /“256” does not fit: uint8 is a whole number from 0 to 2\^8 - 1/],
    ["uint8", "-1", /from 0 to/],
    ["uint256", "", /nothing was given: uint256 is a whole number/],
    ["uint256", "1.5", /whole number, such as 1000/],
    ["int8", "128", /from -2\^7 to 2\^7 - 1/],
    ["bool", "yes", /true or false/],
    ["address", "0x12", /40 hex digits/],
    ["address", A.replace("d8dA", "d8DA"), /checksum/],
    ["bytes", "0x1", /even number/],
    ["bytes4", "0x010203", /8 hex digits/],
    ["uint256[]", "1, 2", /list in brackets/],
    ["uint256[2]", "[1]", /list of 2/],
    ["uint256[]", "[1, [2]", /list in brackets/],
    ["uint256[]", '["1]', /list in brackets/],
    ["uint256[]", "[1,]", /nothing was given/],
    ["uint256[]", `[${"1,".repeat(1000)}1]`, /at most 1000/],
    ["uint256", "9".repeat(1_000_000), /^.{0,200}$/],
  ];
  for (const [type, text, reason] of cases) {
    const message = reason;
    assert.throws(() => encode(type, text), { code: "invalid_argument", message }, `${type} ${text.slice(0, 50)}`);
  }
});

test(`values of random types are read back from how they are written (seed ${SEED})`, () => {
  const random = new Random(SEED);
  for (let round = 0; round < 300; round++) {
    const { type, text, value } = randomValue(random, 3);
    if (type === "string") continue;
    assert.equal(encode(type, text), expected(type, value), `${type} ${text}`);
  }
});

interface Written {
  readonly type: string;
  readonly text: string;
  readonly value: unknown;
}

function randomValue(random: Random, depth: number): Written {
  const bytes = (length: number) => hexlify(Uint8Array.from({ length }, () => random.int(256)));
  const kinds = [
    () => {
      const value = BigInt(bytes(random.between(1, 8)));
      return { type: "uint64", text: random.chance(0.5) ? `${value}` : `0x${value.toString(16)}`, value };
    },
    () => {
      const value = BigInt(random.between(-128, 127));
      return { type: "int8", text: `${value}`, value };
    },
    () => {
      const value = getAddress(bytes(20));
      return { type: "address", text: value, value };
    },
    () => {
      const value = bytes(random.int(40));
      return { type: "bytes", text: value, value };
    },
    () => {
      const value = Array.from({ length: random.int(6) }, () => random.pick([",", "[", '"', "\\", ")", "ü", "a"])).join(
        "",
      );
      return { type: "string", text: JSON.stringify(value), value };
    },
    () => {
      const items = Array.from({ length: random.between(1, 4) }, () => randomValue(random, depth - 1));
      return {
        type: `(${items.map(({ type }) => type).join()})`,
        text: `[${items.map(({ text }) => text).join(random.pick([",", " , "]))}]`,
        value: items.map(({ value }) => value),
      };
    },
  ];
  return random.pick(depth === 0 ? kinds.slice(0, -1) : kinds)();
}
