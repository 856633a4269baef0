import { LICENSES, NO_LICENSE } from "../licenses.ts";
import { SourceFault } from "../standardInput.ts";
import type { SubmittedSource } from "../submission.ts";
import type { RecordedSource } from "./recordedSource.ts";
import { contractName, Fields, libraryOf, settingsOf, singleFile, standardJson } from "./recordedSource.ts";

/** A result of `getsourcecode`, as Etherscan and Blockscout answer it. */
export function readEtherscanRecord(record: Readonly<Record<string, unknown>>): RecordedSource {
  const fields = new Fields(record);
  const compiler = fields.requiredText("CompilerVersion");
  if (fields.text("CompilerType") === "vyper" || compiler.startsWith("vyper")) {
    throw new SourceFault("the language Vyper is not compiled");
  }
  const name = fields.requiredText("ContractName");
  const path = fields.text("ContractFileName", "FileName");
  const license = LICENSES.find(({ spdx }) => spdx === fields.text("LicenseType"))?.spdx ?? NO_LICENSE;
  const source = readSource(fields, path ?? `${name}.sol`);
  return { compiler, contract: contractName(path, name), license, source };
}

function readSource(fields: Fields, path: string): SubmittedSource {
  const text = fields.requiredText("SourceCode");
  // Standard JSON input, which Etherscan wraps in a second pair of braces.
  if (/^\s*\{\s*\{/.test(text)) return { format: "standard-json", text: text.trim() };
  const settings = {
    isOptimized: fields.isTrue("OptimizationUsed"),
    runs: fields.number("Runs") ?? fields.number("OptimizationRuns"),
    evmVersion: fields.text("EVMVersion"),
    libraries: Object.fromEntries(librariesIn(fields)),
  };
  if (/^\s*\{/.test(text)) return standardJson("Solidity", sourcesIn(text), settingsOf(settings, path));
  const others = fields.objects("AdditionalSources");
  if (others.length === 0) return singleFile(text, settings);
  const sources = Object.fromEntries(
    others.map((other) => [other.requiredText("Filename"), other.text("SourceCode") ?? ""]),
  );
  const known = fields.object("CompilerSettings") ?? settingsOf(settings, path);
  return standardJson("Solidity", { [path]: text, ...sources }, known);
}

/** Etherscan's older form of several files: their contents by path. */
function sourcesIn(text: string): Record<string, string> {
  const parsed = parseObject(text);
  return Object.fromEntries(
    Object.entries(parsed).map(([path, source]) => {
      const { content } = (source ?? {}) as { readonly content?: unknown };
      if (typeof content !== "string") throw new SourceFault(`the source ${path.slice(0, 100)} has no content`);
      return [path, content];
    }),
  );
}

function parseObject(text: string): object {
  try {
    return Object(JSON.parse(text)) as object;
  } catch (cause) {
    throw Object.assign(new SourceFault("the source is not JSON"), { cause });
  }
}

/** `Name:address`, with semicolons between them. */
function librariesIn(fields: Fields): (readonly [string, string])[] {
  const parts = (fields.text("Library") ?? "").split(";").filter((part) => part !== "");
  return parts.map((part) => {
    const at = part.lastIndexOf(":");
    return libraryOf(part.slice(0, Math.max(at, 0)), part.slice(at + 1));
  });
}
