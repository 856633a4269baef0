import { LICENSES, NO_LICENSE } from "../licenses.ts";
import { SourceFault } from "../standardInput.ts";
import type { SubmittedSource } from "../submission.ts";
import type { RecordedSource } from "./recordedSource.ts";
import { contractName, Fields, libraryOf, settingsOf, singleFile, standardJson } from "./recordedSource.ts";

/** A response of Blockscout's `/api/v2/smart-contracts/{address}`. */
export function readBlockscoutRecord(record: Readonly<Record<string, unknown>>): RecordedSource {
  const fields = new Fields(record);
  if (record.is_verified === false) throw new SourceFault("the contract is not verified itself");
  const language = fields.text("language")?.toLowerCase() ?? "solidity";
  if (language !== "solidity" && language !== "yul") {
    throw new SourceFault(`the language ${language.slice(0, 100)} is not compiled`);
  }
  const path = fields.text("file_path");
  const name = fields.requiredText("name");
  const license = LICENSES.find(({ type }) => type === fields.text("license_type"))?.spdx ?? NO_LICENSE;
  return {
    compiler: fields.requiredText("compiler_version"),
    contract: contractName(path, name),
    license,
    source: readSource(fields, language === "yul" ? "Yul" : "Solidity", path ?? `${name}.sol`),
  };
}

function readSource(fields: Fields, language: string, path: string): SubmittedSource {
  const text = fields.requiredText("source_code");
  const others = fields.objects("additional_sources");
  const settings = {
    isOptimized: fields.isTrue("optimization_enabled"),
    runs: fields.number("optimization_runs"),
    evmVersion: fields.text("evm_version"),
    libraries: Object.fromEntries(
      fields
        .objects("external_libraries")
        .map((library) => libraryOf(library.requiredText("name"), library.requiredText("address_hash", "address"))),
    ),
  };
  const known = fields.object("compiler_settings");
  // A flattened file has no settings of its own.
  if (known === undefined && others.length === 0) return singleFile(text, settings);
  const sources = Object.fromEntries(
    others.map((other) => [other.requiredText("file_path"), other.text("source_code") ?? ""]),
  );
  return standardJson(language, { [path]: text, ...sources }, known ?? settingsOf(settings, path));
}
