import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { erc20Abi, erc721Abi, erc1155Abi, erc4626Abi, multicall3Abi } from "viem";
import { entryPoint06Abi, entryPoint07Abi, entryPoint08Abi, entryPoint09Abi } from "viem/account-abstraction";
import type { Abi, Lookup } from "../src/chain/abi/parseAbi.ts";
import { readAbi } from "../src/chain/abi/parseAbi.ts";
import { parseSignature } from "../src/chain/abi/parseSignature.ts";
import type { Signature } from "../src/chain/abi/signature.ts";
import { fullText, selectorOf, topicOf, wholeText } from "../src/chain/abi/signature.ts";
import { OTHER_EVENTS, OTHER_FUNCTIONS } from "./others.ts";

/** Lines of an id without 0x and a signature with names, in the order they have in the table. */
export interface Collection {
  readonly FUNCTIONS: readonly string[];
  readonly EVENTS: readonly string[];
  readonly ERRORS: readonly string[];
}

const PUBLISHED = {
  "@openzeppelin/contracts": "build/contracts/*.json",
  "@uniswap/v2-core": "build/!(Combined-Json).json",
  "@uniswap/v2-periphery": "build/!(Combined-Json).json",
  "@uniswap/v3-core": "artifacts/contracts/**/!(*.dbg).json",
  "@uniswap/v3-periphery": "artifacts/contracts/**/!(*.dbg).json",
};

const OF_VIEM = [
  ...[erc20Abi, erc721Abi, erc1155Abi, erc4626Abi, multicall3Abi],
  ...[entryPoint06Abi, entryPoint07Abi, entryPoint08Abi, entryPoint09Abi],
];

/** All signatures of published ABIs, and of the additional list. */
export function collectSignatures(): Collection {
  const abis = [
    ...Object.entries(PUBLISHED).flatMap(([name, files]) => readPackage(name, files)),
    ...OF_VIEM.map(readAbi),
  ];
  const all = (kind: "functions" | "events" | "errors") => abis.flatMap((abi) => listed(abi[kind]));
  const errors = all("errors").filter((error) => error.name !== "Error" && error.name !== "Panic");
  return {
    FUNCTIONS: lines([...all("functions"), ...others(OTHER_FUNCTIONS, selectorOf)], selectorOf),
    EVENTS: lines([...all("events"), ...others(OTHER_EVENTS, topicOf)], topicOf),
    ERRORS: lines(errors, selectorOf),
  };
}

function readPackage(name: string, files: string): Abi[] {
  const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  const found = globSync(files, { cwd: folder }).sort();
  if (found.length === 0) throw new Error(`${name} has no ABIs`);
  return found.map((file) => readAbi((JSON.parse(readFileSync(join(folder, file), "utf8")) as { abi: unknown }).abi));
}

function listed(lookup: Lookup): Signature[] {
  return [...(lookup as ReadonlyMap<string, readonly Signature[]>).values()].flat();
}

function others(texts: readonly string[], idOf: (signature: Signature) => string): Signature[] {
  return texts.map((line) => {
    const [id] = line.split(" ", 1);
    const signature = parseSignature(line.slice(id!.length + 1));
    if (idOf(signature) !== `0x${id}`) throw new Error(`${line} has the hash ${idOf(signature)}`);
    return signature;
  });
}

/**
 * One line for each layout of parameters, with the names most ABIs give them. Where layouts share an id, as the
 * Transfer of ERC-20 and ERC-721 do, the more frequent one is first.
 */
function lines(signatures: readonly Signature[], idOf: (signature: Signature) => string): string[] {
  const layouts = Map.groupBy(signatures, (each) => `${idOf(each).slice(2)} ${layoutOf(each)}`);
  return [...layouts]
    .map(([layout, same]) => ({
      id: layout.split(" ", 1)[0]!,
      count: same.length,
      text: mostFrequent(same.map(wholeText)),
    }))
    .sort((a, b) => compare(a.id, b.id) || b.count - a.count || compare(a.text, b.text))
    .map(({ id, text }) => `${id} ${text}`);
}

function layoutOf({ name, inputs }: Signature): string {
  return fullText({ name, inputs: inputs.map((input) => ({ ...input, name: "" })) });
}

/** A text with more names is better, then the one that more have, then the first in the alphabet. */
function mostFrequent(texts: readonly string[]): string {
  const names = (text: string) => text.split(" ").length;
  const counted = [...Map.groupBy(texts, (text) => text)];
  counted.sort(([a, as], [b, bs]) => names(b) - names(a) || bs.length - as.length || compare(a, b));
  return counted[0]![0];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The source of `src/chain/abi/knownSignatures.ts`. */
export function sourceOf(collection: Collection): string {
  const lists = Object.entries(collection).map(
    ([name, texts]) => `export const ${name} = \`\n${(texts as readonly string[]).join("\n")}\n\`;\n`,
  );
  return `// Written by \`npm run signatures\` from the ABIs of packages and signatures/others.ts.\n\n${lists.join("\n")}`;
}
