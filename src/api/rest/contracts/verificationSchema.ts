import { Type } from "../../openapi/type.ts";
import { always, arrayOf, empty, record } from "../../openapi/values.ts";

export const VerificationConfigSchema = record("Verification config", {
  verification_options: arrayOf(
    Type.String(),
    "the ways to submit a source: `flattened-code` and `standard-input`; empty if contracts cannot be verified",
  ),
  solidity_compiler_versions: arrayOf(
    Type.String(),
    "the solc versions that are installed, newest first; [others](verification.md#compilers) are accepted if they can be fetched",
  ),
  solidity_evm_versions: arrayOf(Type.String(), "the EVM versions that solc knows, and `default`"),
  vyper_compiler_versions: empty("always empty: Vyper is not supported"),
  vyper_evm_versions: empty("always empty"),
  license_types: Type.Record(Type.String(), Type.Integer(), { description: "the numbers of the licenses, by name" }),
  is_rust_verifier_microservice_enabled: always(false, "always false"),
});
