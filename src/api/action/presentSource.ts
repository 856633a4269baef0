import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { ContractSource } from "../../query/contracts/verifiedContract.ts";
import type { ListedSource } from "../../store/contracts/sources.ts";
import type { VerifiedContract } from "../../verify/verification.ts";

interface Settings {
  readonly optimizer?: { readonly enabled?: boolean; readonly runs?: number };
  readonly evmVersion?: string;
}

/** Etherscan's field names, and Blockscout's where they differ. */
export function presentSource({ contract, license, isSimilar }: ContractSource) {
  const settings = contract.settings as Settings;
  const libraries = Object.entries(contract.libraries);
  return {
    SourceCode: sourceCode(contract),
    ABI: JSON.stringify(contract.abi),
    ContractName: contract.name,
    CompilerVersion: `v${contract.compiler}`,
    CompilerType: "solc",
    OptimizationUsed: settings.optimizer?.enabled === true ? "1" : "0",
    Runs: String(settings.optimizer?.runs ?? 200),
    // A similar contract has its own arguments.
    ConstructorArguments: isSimilar ? "" : (contract.constructorArguments?.slice(2) ?? ""),
    EVMVersion: settings.evmVersion ?? "Default",
    Library: libraries.map(([name, address]) => `${name.slice(name.lastIndexOf(":") + 1)}:${address}`).join(";"),
    LicenseType: license,
    ContractFileName: contract.path,
    FileName: contract.path,
    CompilerSettings: settings,
    AdditionalSources: Object.entries(contract.sources)
      .filter(([path]) => path !== contract.path)
      .map(([path, content]) => ({ Filename: path, SourceCode: content })),
    ExternalLibraries: libraries.map(([name, address]) => ({ name, address_hash: address })),
  };
}

/** A single file verbatim; otherwise standard JSON in a second pair of braces, by which tools recognize it. */
function sourceCode({ format, name, path, language, sources, settings }: VerifiedContract): string {
  // Tools assume this path for a file without one, and the path is part of the metadata.
  if (format === "single-file" && path === `${name}.sol`) return sources[path] ?? "";
  const contents = Object.fromEntries(Object.entries(sources).map(([name, content]) => [name, { content }]));
  return `{${JSON.stringify({ language, sources: contents, settings })}}`;
}

export const NOT_VERIFIED = "Contract source code not verified";

export function presentVerified({ address, name, compiler, optimized, abi }: ListedSource) {
  return {
    Address: toHex(address),
    ABI: abi,
    ContractName: name,
    CompilerVersion: `v${compiler}`,
    OptimizationUsed: optimized ? "1" : "0",
  };
}

export function presentUnverified(address: Bytes) {
  return { Address: toHex(address), ABI: NOT_VERIFIED, ContractName: "", CompilerVersion: "", OptimizationUsed: "" };
}
