import { isObject } from "../../std/values.ts";
import type { Abi } from "../abi/parseAbi.ts";
import { readAbi } from "../abi/parseAbi.ts";
import { NAME } from "../abi/parseSignature.ts";
import type { Bytes } from "../encoding/bytes.ts";
import { EMPTY } from "../encoding/bytes.ts";
import { ChainError } from "../error.ts";
import type { CodeRange, CompiledCode } from "./compiledCode.ts";
import { bodyLength, patternOf } from "./compiledCode.ts";

export interface Artifact {
  readonly name: string;
  /** Source path as known to the compiler; empty if unknown. */
  readonly path: string;
  readonly abi: Abi;
  readonly abiText: string;
  /** Undefined for interfaces, abstract contracts and code too generic to match. */
  readonly compiled: CompiledCode | undefined;
}

/** Artifacts are parsed on the serving thread; real contracts are far smaller. */
export const MAX_OWN_ABI_LENGTH = 1 << 20;
export const MAX_ENTRIES = 1500;

/** Five times the limit of EIP-170: test contracts, never deployed, exceed it. */
export const MAX_COMPILED_LENGTH = 128 << 10;

export const MAX_HOLES = 4096;
const MAX_PATH_LENGTH = 1024;

type Json = { readonly [key: string]: unknown };

/**
 * Parses a hardhat or foundry artifact; undefined if the JSON is something else. `place` is the file's path, which may
 * be the only source of the contract's name.
 */
export function parseArtifact(text: string, place: string): Artifact | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text);
  } catch (cause) {
    throw new ChainError("invalid_argument", "it is not JSON", { cause });
  }
  if (!isObject(json) || !Array.isArray(json.abi)) return undefined;
  const object = codeText(json.deployedBytecode);
  if (object === undefined) return undefined;
  const { name, path } = identify(json, place);
  if (json.abi.length > MAX_ENTRIES) throw unusable(`its ABI has more than ${MAX_ENTRIES} entries`);
  const abi = readAbi(json.abi);
  return { name, path, abi, abiText: spell(json.abi), compiled: readCode(object, json) };
}

/** Hardhat stores a string, foundry an object. */
function codeText(bytecode: unknown): string | undefined {
  const text = isObject(bytecode) ? bytecode.object : bytecode;
  return typeof text === "string" ? text : undefined;
}

function identify({ contractName, sourceName, metadata }: Json, place: string): { name: string; path: string } {
  const [file = "", folder = ""] = place.split(/[/\\]/).reverse();
  const settings = isObject(metadata) && isObject(metadata.settings) ? metadata.settings : {};
  const [target] = isObject(settings.compilationTarget) ? Object.entries(settings.compilationTarget) : [];
  const name = contractName ?? target?.[1] ?? file.split(".")[0];
  const path = sourceName ?? target?.[0] ?? (/\.\w+$/.test(folder) ? folder : "");
  if (typeof name !== "string" || !NAME.test(name)) throw unusable("its contract has no name");
  // Paths are printed, so they may not contain control characters.
  if (typeof path !== "string" || path.length > MAX_PATH_LENGTH || /\p{C}/u.test(path)) {
    throw unusable("the path of its source is none");
  }
  return { name, path };
}

function spell(abi: readonly unknown[]): string {
  let text: string;
  try {
    text = JSON.stringify(abi);
  } catch (cause) {
    throw new ChainError("invalid_argument", "its ABI is nested too deep", { cause });
  }
  if (text.length > MAX_OWN_ABI_LENGTH) throw unusable(`its ABI has more than ${MAX_OWN_ABI_LENGTH} characters`);
  return text;
}

function readCode(object: string, json: Json): CompiledCode | undefined {
  const { code, placeholders } = parseCode(object);
  if (code.length === 0 || code.length > MAX_COMPILED_LENGTH) return undefined;
  const own = isObject(json.deployedBytecode) ? json.deployedBytecode : json;
  const links = own === json ? json.deployedLinkReferences : own.linkReferences;
  const immutables = own.immutableReferences;
  const linked = isObject(links) ? Object.values(links) : [];
  const references = [...linked, immutables].flatMap((lists) => (isObject(lists) ? Object.values(lists).flat() : []));
  const end = bodyLength(code);
  if (references.length > MAX_HOLES) throw unusable(`its code has more than ${MAX_HOLES} references`);
  const holes = references.map((reference) => readHole(reference, end));
  const pattern = patternOf(code, [...placeholders, ...holes], isObject(immutables));
  return isMostlyOpen(pattern.values, end) ? undefined : { code, pattern };
}

/** Unlinked libraries are `__$…$__` or, before solc 0.5, `__Name___…`, each standing for 20 bytes. */
function parseCode(object: string): { code: Bytes; placeholders: CodeRange[] } {
  const text = object.startsWith("0x") ? object.slice(2) : object;
  if (text.length > 2 * MAX_COMPILED_LENGTH) return { code: EMPTY, placeholders: [] };
  const placeholders: CodeRange[] = [];
  const digits = text.replace(/__.{38}/g, (_, at: number) => {
    placeholders.push([at / 2, 20]);
    return at % 2 === 0 ? "0".repeat(40) : "odd";
  });
  if (digits.length % 2 !== 0 || !/^[\da-f]*$/i.test(digits)) throw unusable("its code is not hex");
  return { code: Buffer.from(digits, "hex"), placeholders };
}

function readHole(reference: unknown, end: number): CodeRange {
  const { start, length } = isObject(reference) ? reference : {};
  const isPlace = isInteger(start) && isInteger(length) && start >= 0 && length >= 1 && length <= 32;
  if (!isPlace || start + length > end) throw unusable("a reference does not lie in its code");
  return [start, length];
}

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);

/** Code that is mostly placeholders would match anything, such as a library without functions. */
function isMostlyOpen(values: readonly CodeRange[], end: number): boolean {
  return values.reduce((sum, [, length]) => sum + length, 0) > end / 2;
}

function unusable(reason: string): ChainError {
  return new ChainError("invalid_argument", reason);
}
