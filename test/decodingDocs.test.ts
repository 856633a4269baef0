import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { encodeFunctionData, erc20Abi } from "viem";
import { presentCall } from "../src/api/rest/transactions/presentDecoded.ts";
import { KNOWN } from "../src/chain/abi/known.ts";
import { LONGEST_ABI, MOST_ALIKE, MOST_IN_ONE, MOST_PARAMETERS } from "../src/chain/abi/parseAbi.ts";
import { decodeCall } from "../src/chain/abi/resolve.ts";
import { MOST_DEPTH } from "../src/chain/abi/type.ts";
import { LONGEST_COMPILED, LONGEST_OWN_ABI, MOST_ENTRIES } from "../src/chain/contract/artifact.ts";
import { fromHex } from "../src/chain/encoding/hex.ts";
import { LARGEST_FILE, MOST_FILES } from "../src/cli/artifactFiles.ts";
import { LONGEST_DECODED, LONGEST_LISTED_INPUT, MOST_EMITTERS, MOST_LOGGED } from "../src/query/decode/decoder.ts";
import { plain, readSections } from "./support/markdown.ts";

const PATH = "docs/decoding.md";
const sections = readSections(PATH);

test("decoding.md states the limits of ABIs as they are", () => {
  const { text } = sections.get("ABIs")!;

  for (const limit of [
    `more than ${MOST_DEPTH} deep`,
    `more than ${MOST_PARAMETERS.toLocaleString("en")} parameters`,
    `more than ${LONGEST_ABI >> 20} MiB`,
    `more than ${MOST_IN_ONE.toLocaleString("en")} parameters and members`,
    `At most ${MOST_ALIKE} signatures that share a selector or a topic`,
  ]) {
    assert.ok(text.replaceAll("\n", " ").includes(limit), limit);
  }
});

test("decoding.md says how much is decoded", () => {
  const text = [...sections.values()].map((section) => section.text.replaceAll("\n", " ")).join(" ");

  assert.equal(MOST_LOGGED, 1 << 20);
  for (const limit of [
    `more than ${LONGEST_DECODED >> 10} KiB stay raw`,
    "after the first MiB of it",
    `Inputs of more than ${LONGEST_LISTED_INPUT.toLocaleString("en")} bytes`,
    `the code of ${MOST_EMITTERS} contracts`,
  ]) {
    assert.ok(text.includes(limit), limit);
  }
});

test("decoding.md states the limits of what is imported as they are", () => {
  const text = sections.get("Your own contracts")!.text.replaceAll(/\s+/g, " ");

  for (const limit of [
    `| size of a file | ${LARGEST_FILE >> 20} MiB |`,
    `| JSON files in a folder | ${MOST_FILES.toLocaleString("en")} |`,
    `${MOST_ENTRIES.toLocaleString("en")} entries and ${LONGEST_OWN_ABI >> 20} MiB`,
    `more than ${LONGEST_COMPILED >> 10} KiB`,
  ]) {
    assert.ok(text.includes(limit), limit);
  }
});

test("decoding.md lists every origin and every kind of proxy that the code tells apart, in their order", () => {
  const named = (file: string, type: string) => {
    const [, union] = new RegExp(`export type ${type} =([^;]+);`).exec(readFileSync(file, "utf8"))!;
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
