import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { encodeAbiParameters, encodeFunctionData, erc20Abi, toEventHash, toFunctionSelector } from "viem";
import { collectSignatures, sourceOf } from "../../../signatures/collect.ts";
import type { Hex } from "../encoding/hex.ts";
import { fromHex } from "../encoding/hex.ts";
import { KNOWN } from "./known.ts";
import { parseSignature } from "./parseSignature.ts";
import { decodeCall, decodeLog } from "./resolve.ts";
import { canonicalText, fullText, wholeText } from "./signature.ts";

const collection = collectSignatures();

test("the table is what `npm run signatures` makes of the packages that are there", () => {
  assert.equal(readFileSync(new URL("knownSignatures.ts", import.meta.url), "utf8"), sourceOf(collection));
});

test("every line has the hash of its signature, and is found by it", () => {
  const kinds = [
    [collection.FUNCTIONS, toFunctionSelector, KNOWN.signatures.functions],
    [collection.EVENTS, toEventHash, KNOWN.signatures.events],
    [collection.ERRORS, toFunctionSelector, KNOWN.signatures.errors],
  ] as const;
  for (const [lines, hash, lookup] of kinds) {
    assert.equal(new Set(lines).size, lines.length);
    for (const line of lines) {
      const [id] = line.split(" ", 1);
      const text = line.slice(id!.length + 1);

      assert.equal(`0x${id}`, hash(canonicalText(parseSignature(text))), line);
      assert.ok(
        lookup.get(`0x${id}`)?.some((signature) => wholeText(signature) === text),
        line,
      );
    }
  }
  assert.equal(KNOWN.signatures.functions.get("0x00000000"), undefined);
});

test("common signatures are known", () => {
  const calls = [
    "a9059cbb",
    "095ea7b3",
    "23b872dd",
    "d0e30db0",
    "2e1a7d4d",
    "40c10f19",
    "d505accf",
    "3659cfe6",
    "4f1ef286",
  ];
  const swaps = [
    "38ed1739",
    "7ff36ab5",
    "18cbafe5",
    "414bf389",
    "c04b8d59",
    "ac9650d8",
    "e8e33700",
    "f305d719",
    "88316456",
  ];
  const standards = [
    "6e553f65",
    "ba087652",
    "f242432a",
    "2eb2c2d6",
    "42842e0e",
    "a22cb465",
    "82ad56cb",
    "1fad948c",
    "6a761202",
  ];

  for (const id of [...calls, ...swaps, ...standards]) assert.ok(KNOWN.signatures.functions.get(`0x${id}`), id);
});

test("Transfer of ERC-20 and of ERC-721 are distinguished by their indexed fields", () => {
  const word = (value: bigint) => encodeAbiParameters([{ type: "uint256" }], [value]).slice(2);
  const topic = toEventHash("Transfer(address,address,uint256)").slice(2);
  const topics = (...words: bigint[]) => fromHex(`0x${topic}${words.map(word).join("")}`);

  const coin = decodeLog({ topics: topics(1n, 2n), data: fromHex(`0x${word(3n)}`) }, [KNOWN]);
  const picture = decodeLog({ topics: topics(1n, 2n, 3n), data: fromHex("0x") }, [KNOWN]);

  assert.equal(coin && fullText(coin.signature), "Transfer(address indexed from, address indexed to, uint256 value)");
  assert.equal(
    picture && fullText(picture.signature),
    "Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
  );
  assert.equal(picture?.id, `0x${topic}`);
});

test("a call with a known selector is decoded, and trailing bytes are reported separately", () => {
  const to: Hex = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
  const input = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, 1n] });

  assert.equal(decodeCall(fromHex(input), [KNOWN])?.origin, "known");
  assert.equal(decodeCall(fromHex(input), [KNOWN])?.trailing, undefined);
  assert.deepEqual(decodeCall(fromHex(`${input}1234`), [KNOWN])?.trailing, fromHex("0x1234"));
  assert.equal(decodeCall(fromHex(input).subarray(0, 67), [KNOWN]), undefined);
});
