import type { SubmittedSource } from "./submission.ts";
import type { ContractName, StandardInput } from "./verification.ts";

/** A defect of the submitted source. */
export class SourceFault extends Error {}

type Json = { readonly [key: string]: unknown };
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `src/A.sol:A`, or the name alone. */
export function parseContractName(text: string): ContractName {
  const at = text.lastIndexOf(":");
  const name = text.slice(at + 1);
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) throw new SourceFault("the name of the contract is none");
  return { path: at < 0 ? undefined : text.slice(0, at), name };
}

/** Input for solc. Refuses anything that could make it read a file or a URL. */
export function standardInput(source: SubmittedSource, contract: ContractName): StandardInput {
  if (source.format === "standard-json") return checkInput(parseJson(source.text));
  const { text, optimizerRuns, evmVersion, viaIr, libraries } = source;
  const path = contract.path ?? `${contract.name}.sol`;
  const settings = {
    optimizer: { enabled: optimizerRuns !== undefined, runs: optimizerRuns ?? 200 },
    ...(evmVersion !== undefined && { evmVersion }),
    ...(viaIr && { viaIR: true }),
    ...(Object.keys(libraries).length > 0 && { libraries: { [path]: libraries } }),
  };
  return { language: "Solidity", sources: { [path]: { content: text } }, settings };
}

function parseJson(text: string): unknown {
  try {
    // Etherscan wraps standard JSON in a second pair of braces.
    return JSON.parse(text.startsWith("{{") && text.endsWith("}}") ? text.slice(1, -1) : text);
  } catch {
    throw new SourceFault("the source is not JSON");
  }
}

function checkInput(input: unknown): StandardInput {
  if (!isObject(input) || !isObject(input.sources))
    throw new SourceFault("the source is no standard JSON input of solc");
  const { language = "Solidity", sources, settings = {} } = input;
  if (language !== "Solidity" && language !== "Yul")
    throw new SourceFault(`the language ${clip(language)} is not compiled`);
  if (!isObject(settings)) throw new SourceFault("the settings are no object");
  const texts: Record<string, { content: string }> = Object.create(null);
  for (const [path, source] of Object.entries(sources)) {
    if (!isObject(source) || typeof source.content !== "string") {
      throw new SourceFault(`the source ${clip(path)} has no content; nothing is read from elsewhere`);
    }
    texts[path] = { content: source.content };
  }
  if (Object.keys(texts).length === 0) throw new SourceFault("there is no source");
  // Neither affects the code, and the model checker may not terminate.
  const { modelChecker: _, stopAfter: __, ...relevant } = settings;
  return { language, sources: texts, settings: relevant };
}

function clip(value: unknown): string {
  const text = String(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
