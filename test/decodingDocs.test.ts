import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { encodeFunctionData, erc20Abi } from "viem";
import { presentCall } from "../src/api/rest/transactions/presentDecoded.ts";
import { KNOWN } from "../src/chain/abi/known.ts";
import { MAX_ABI_LENGTH, MAX_ALIKE, MAX_ITEMS_IN_ONE, MAX_PARAMETERS } from "../src/chain/abi/parseAbi.ts";
import { decodeCall } from "../src/chain/abi/resolve.ts";
import { MAX_DEPTH } from "../src/chain/abi/type.ts";
import { MAX_COMPILED_LENGTH, MAX_ENTRIES, MAX_OWN_ABI_LENGTH } from "../src/chain/contract/artifact.ts";
import { fromHex } from "../src/chain/encoding/hex.ts";
import { MAX_FILE, MAX_FILES } from "../src/cli/jsonFiles.ts";
import { MAX_DECODED_LENGTH, MAX_EMITTERS, MAX_LISTED_INPUT_LENGTH, MAX_LOGGED } from "../src/query/decode/decoder.ts";
import { plain, readSections } from "./support/markdown.ts";

const PATH = "docs/decoding.md";
const sections = readSections(PATH);

test("decoding.md states the limits of ABIs as they are", () => {
  const { text } = sections.get("ABIs")!;

  for (const limit of [
    `more than ${MAX_DEPTH} deep`,
    `more than ${MAX_PARAMETERS.toLocaleString("en")} parameters`,
    `more than ${MAX_ABI_LENGTH >> 20} MiB`,
    `more than ${MAX_ITEMS_IN_ONE.toLocaleString("en")} parameters and members`,
    `At most ${MAX_ALIKE} signatures that share a selector or a topic`,
  ]) {
    assert.ok(text.replaceAll("\n", " ").includes(limit), limit);
  }
});

test("decoding.md says how much is decoded", () => {
  const text = [...sections.values()].map((section) => section.text.replaceAll("\n", " ")).join(" ");

  assert.equal(MAX_LOGGED, 1 << 20);
  for (const limit of [
    `more than ${MAX_DECODED_LENGTH >> 10} KiB stay raw`,
    "after the first MiB of it",
    `Inputs of more than ${MAX_LISTED_INPUT_LENGTH.toLocaleString("en")} bytes`,
    `the code of ${MAX_EMITTERS} contracts`,
  ]) {
    assert.ok(text.includes(limit), limit);
  }
});

test("decoding.md states the limits of what is imported as they are", () => {
  const text = sections.get("Your own contracts")!.text.replaceAll(/\s+/g, " ");

  for (const limit of [
    `| size of a file | ${MAX_FILE >> 20} MiB |`,
    `| JSON files in a folder | ${MAX_FILES.toLocaleString("en")} |`,
    `${MAX_ENTRIES.toLocaleString("en")} entries and ${MAX_OWN_ABI_LENGTH >> 20} MiB`,
    `more than ${MAX_COMPILED_LENGTH >> 10} KiB`,
  ]) {
    assert.ok(text.includes(limit), limit);
  }
});

test("decoding.md lists every origin and every kind of proxy, in the order of the code", () => {
  const named = (file: string, type: string) => {
    const [, union] = new RegExp(`\\btype ${type} =([^;]+);`).exec(readFileSync(file, "utf8"))!;
    return [...union!.matchAll(/"(\w+)"/g)].map(([, name]) => name);
  };
  const column = (title: string, name: string) => sections.get(title)!.tables[0]!.map((row) => plain(row[name]!));

  assert.deepEqual(column("In which order", "Origin"), named("src/chain/abi/resolve.ts", "Origin"));
  assert.deepEqual(column("Proxies", "`proxy_type`").sort(), named("src/chain/contract/proxy.ts", "ProxyType").sort());
});

test("the example of decoding.md is what such a call decodes to", () => {
  const [example] = sections.get("What decodes")!.code("json");
  const { parameters } = JSON.parse(example!) as { parameters: { value: string }[] };
  const [to, amount] = parameters.map(({ value }) => value);
  const args = [to as `0x${string}`, BigInt(amount!)] as const;

  const decoded = decodeCall(fromHex(encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args })), [KNOWN]);

  assert.deepEqual(JSON.parse(example!), presentCall(decoded!));
});
