import { LICENSES } from "../../../verify/licenses.ts";
import { Type } from "../../openapi/type.ts";
import {
  address,
  always,
  anything,
  arrayOf,
  as,
  count,
  decimal,
  fields,
  flag,
  hex,
  nullToday,
  orNull,
  record,
  text,
  time,
  words,
} from "../../openapi/values.ts";
import { creationStatus, Implementation, proxyType } from "../addresses/accountSchema.ts";
import { AddressSchema } from "../addresses/addressSchema.ts";

const CODE_FIELDS = {
  proxy_type: orNull(proxyType("as in an [account](#account)")),
  implementations: arrayOf(Implementation, "as in an [account](#account)"),
  conflicting_implementations: nullToday("proxies are detected in a fixed order, so there are no conflicts"),
  deployed_bytecode: orNull(
    hex("its code after the indexed block; `0x` if it no longer has code; null if the node does not respond"),
  ),
  creation_bytecode: orNull(
    hex(
      "the init code that [created it](#who-made-a-contract), followed by the constructor arguments; null if it is not known",
    ),
  ),
  creation_status: orNull(creationStatus("as in an [account](#account)")),
  verification_error: orNull(
    text(
      "why the newest source submitted for it was not [verified](verification.md), in words; null if it was, or if none was submitted",
    ),
  ),
};

/** An unverified contract. */
export const ContractSchema = record("Contract", CODE_FIELDS);

const AbiEntry = anything("an entry of the ABI, as the compiler writes it");

const DecodedArgument = Type.Array(Type.Unknown(), {
  description: "the value, and the parameter as the ABI has it",
  minItems: 2,
  maxItems: 2,
});

export const VerifiedContractSchema = record("Verified contract", {
  is_verified: flag(
    "whether a source was verified for this very contract; false if it was for another with the same code",
  ),
  is_fully_verified: flag("whether that is a [perfect match](verification.md#matches)"),
  is_partially_verified: flag("whether that is a [partial match](verification.md#matches)"),
  is_changed_bytecode: always(false, "always false: a source belongs to the code that the contract has now"),
  is_verified_via_sourcify: always(false, "always false"),
  is_verified_via_eth_bytecode_db: always(false, "always false"),
  is_verified_via_verifier_alliance: always(false, "always false"),
  verified_twin_address_hash: orNull(
    address("the contract with the same code that the source was verified for; null if that is this contract"),
  ),
  ...CODE_FIELDS,
  name: text("the name of the contract in its source"),
  language: words(["solidity", "yul"], "`solidity` or `yul`"),
  compiler_version: text("the version of the compiler: `v0.8.28+commit.7893614a`"),
  compiler_settings: anything("the settings of the compiler, as they were submitted"),
  evm_version: text("the EVM version that was compiled for; `default` if the settings name none"),
  optimization_enabled: flag("whether the optimizer was on"),
  optimization_runs: orNull(count("the optimizer's `runs`; null if it was off")),
  verified_at: orNull(time("when the source was verified")),
  abi: arrayOf(AbiEntry, "the ABI"),
  source_code: text("the file that has the contract"),
  file_path: text("the path of that file"),
  additional_sources: arrayOf(
    fields("a file", { file_path: text("its path"), source_code: text("its text") }),
    "the other files: objects with `file_path` and `source_code`",
  ),
  external_libraries: arrayOf(
    fields("a library", { name: text("its name"), address_hash: address("its address") }),
    "the libraries that are linked: objects with `name` and `address_hash`",
  ),
  constructor_args: orNull(
    hex(
      "the encoded constructor arguments; null if there are none, if they are not known, or if the source is another contract's",
    ),
  ),
  decoded_constructor_args: orNull(
    arrayOf(DecodedArgument, "the constructor arguments: pairs of a value and its parameter in the ABI; null as above"),
  ),
  license_type: words(
    LICENSES.map(({ type }) => type),
    "the license that was submitted, as Blockscout spells it: `mit`; `none` without one",
  ),
  certified: always(false, "always false"),
  is_blueprint: always(false, "always false"),
  can_be_visualized_via_sol2uml: always(false, "always false"),
  sourcify_repo_url: nullToday("sources are not published elsewhere"),
});

export const AnyContractSchema = Type.Union([VerifiedContractSchema, ContractSchema]);

export const ListedContractSchema = record("Listed contract", {
  address: as(AddressSchema, "the [address](#address), with the name of the contract in its source"),
  coin_balance: orNull(decimal("its balance in wei after the indexed block; null if the node does not respond")),
  transactions_count: count("transactions sent by, sent to or creating it"),
  language: words(["solidity", "yul"], "`solidity` or `yul`"),
  compiler_version: text("the version of the compiler: `v0.8.28+commit.7893614a`"),
  optimization_enabled: flag("whether the optimizer was on"),
  has_constructor_args: flag("whether it was created with constructor arguments"),
  license_type: words(
    LICENSES.map(({ type }) => type),
    "the license that was submitted, as in a [verified contract](#verified-contract)",
  ),
  verified_at: orNull(time("when the source was verified")),
  market_cap: nullToday("the chain does not record the circulating supply"),
  certified: always(false, "always false"),
  reputation: always("ok", "always `ok`"),
});

export const ContractCountersSchema = record("Contract counters", {
  smart_contracts: decimal("contracts that transactions deployed"),
  new_smart_contracts_24h: decimal("those of the 24 hours before the newest block"),
  verified_smart_contracts: decimal("contracts that a source was [verified](verification.md) for"),
  new_verified_smart_contracts_24h: decimal("those of the last 24 hours"),
});
