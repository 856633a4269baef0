import { decodeParameters } from "../../../chain/abi/decode.ts";
import { readAbi } from "../../../chain/abi/parseAbi.ts";
import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { fromHex, toHex } from "../../../chain/encoding/hex.ts";
import type { ContractDetails, ContractSource } from "../../../query/contracts/verifiedContract.ts";
import type { ListedContract } from "../../../query/contracts/verifiedContracts.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import { LICENSES, NO_LICENSE } from "../../../verify/licenses.ts";
import type { VerifiedContract } from "../../../verify/verification.ts";
import type { Shape } from "../../openapi/values.ts";
import { presentProxy } from "../addresses/presentAccount.ts";
import { presentAddress } from "../addresses/presentAddress.ts";
import { timestamp } from "../amounts.ts";
import { presentValue } from "../transactions/presentDecoded.ts";
import type {
  AnyContractSchema,
  ContractSchema,
  ListedContractSchema,
  VerifiedContractSchema,
} from "./contractSchema.ts";

export function presentContract(details: ContractDetails): Shape<typeof AnyContractSchema> {
  const code = presentCode(details);
  return details.source === undefined ? code : presentVerified(details.source, code);
}

type PresentedCode = Shape<typeof ContractSchema>;

function presentCode({ contract, failure }: ContractDetails): PresentedCode {
  const { account, creation } = contract;
  return {
    ...presentProxy(contract),
    conflicting_implementations: null,
    deployed_bytecode: account === undefined ? null : toHex(account.code),
    creation_bytecode: creation?.input === undefined ? null : toHex(creation.input),
    creation_status: creation?.status ?? null,
    verification_error: failure ?? null,
  };
}

function presentVerified(source: ContractSource, code: PresentedCode): Shape<typeof VerifiedContractSchema> {
  const { isSimilar, match, address, contract, license, verified } = source;
  return {
    is_verified: !isSimilar,
    is_fully_verified: !isSimilar && match === "perfect",
    is_partially_verified: !isSimilar && match === "partial",
    is_changed_bytecode: false,
    is_verified_via_sourcify: false,
    is_verified_via_eth_bytecode_db: false,
    is_verified_via_verifier_alliance: false,
    verified_twin_address_hash: isSimilar ? checksumAddress(address) : null,
    ...code,
    ...presentCompiler(contract),
    verified_at: timestamp(verified),
    ...presentSources(contract),
    // A similar contract has its own arguments.
    ...presentArguments(isSimilar ? { ...contract, constructorArguments: undefined } : contract),
    license_type: licenseOf(license),
    certified: false,
    is_blueprint: false,
    can_be_visualized_via_sol2uml: false,
    sourcify_repo_url: null,
  };
}

function presentCompiler({ name, language, compiler, settings, abi }: VerifiedContract) {
  const { optimizer, evmVersion } = settings as {
    readonly optimizer?: { readonly enabled?: boolean; readonly runs?: number };
    readonly evmVersion?: string;
  };
  const isOptimized = optimizer?.enabled === true;
  return {
    name,
    language: languageOf(language),
    compiler_version: `v${compiler}`,
    compiler_settings: settings,
    evm_version: evmVersion ?? "default",
    optimization_enabled: isOptimized,
    optimization_runs: isOptimized ? (optimizer.runs ?? 200) : null,
    abi: abi as object[],
  };
}

function presentSources({ path, sources, libraries }: VerifiedContract) {
  const others = Object.entries(sources).filter(([file]) => file !== path);
  return {
    source_code: sources[path] ?? "",
    file_path: path,
    additional_sources: others.map(([file, text]) => ({ file_path: file, source_code: text })),
    external_libraries: Object.entries(libraries).map(([name, address]) => ({
      name: name.slice(name.lastIndexOf(":") + 1),
      address_hash: checksumAddress(fromHex(address)),
    })),
  };
}

export function presentListedContract(
  listed: ListedContract,
  addresses: AddressInfos,
): Shape<typeof ListedContractSchema> {
  return {
    address: presentAddress(listed.address, addresses),
    coin_balance: listed.balance?.toString() ?? null,
    transactions_count: listed.transactions,
    language: languageOf(listed.language),
    compiler_version: `v${listed.compiler}`,
    optimization_enabled: listed.optimized,
    has_constructor_args: listed.hasConstructorArguments,
    license_type: licenseOf(listed.license),
    verified_at: timestamp(listed.verified),
    market_cap: null,
    certified: false,
    reputation: "ok",
  };
}

const languageOf = (language: string): "yul" | "solidity" => (language === "Yul" ? "yul" : "solidity");

const licenseOf = (license: string) => LICENSES.find(({ spdx }) => spdx === (license || NO_LICENSE))?.type ?? "none";

interface AbiEntry {
  readonly type?: string;
  readonly inputs?: readonly object[];
}

function presentArguments({ abi, constructorArguments = "0x" }: VerifiedContract) {
  if (constructorArguments === "0x") return { constructor_args: null, decoded_constructor_args: null };
  const declared = (abi as readonly AbiEntry[]).filter(({ type }) => type === "constructor");
  const types = readAbi(declared).constructorInputs?.map(({ type }) => type) ?? [];
  const values = decodeParameters(types, fromHex(constructorArguments));
  const inputs = declared.flatMap((entry) => entry.inputs ?? []);
  return {
    constructor_args: constructorArguments,
    decoded_constructor_args: values?.map((value, at) => [presentValue(types[at]!, value), inputs[at] ?? {}]) ?? null,
  };
}
