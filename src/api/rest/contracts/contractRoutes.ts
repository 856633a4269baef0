import type { ContractCounts } from "../../../query/contracts/contractCounts.ts";
import { countContracts } from "../../../query/contracts/contractCounts.ts";
import { findContractDetails } from "../../../query/contracts/verifiedContract.ts";
import { listVerifiedContracts, MAX_CONTRACTS } from "../../../query/contracts/verifiedContracts.ts";
import { spellVersion } from "../../../verify/compilerVersion.ts";
import { LICENSES } from "../../../verify/licenses.ts";
import type { Verifier } from "../../../verify/verifier.ts";
import { Type } from "../../openapi/type.ts";
import type { Shape } from "../../openapi/values.ts";
import { arrayOf, fields } from "../../openapi/values.ts";
import { presentPage } from "../envelope.ts";
import { expectFound } from "../errors.ts";
import { parseAddress, parseRankedPage } from "../params.ts";
import type { Route } from "../route.ts";
import { listRoute, recordRoute } from "../route.ts";
import { CONTRACT_PARAMETERS, parseContractFilter } from "./contractFilter.ts";
import { AnyContractSchema, ContractCountersSchema, ListedContractSchema } from "./contractSchema.ts";
import { presentContract, presentListedContract } from "./presentContract.ts";
import { SUBMIT_ROUTES } from "./submitSource.ts";
import { VerificationConfigSchema } from "./verificationSchema.ts";

const tag = "Addresses";

export const CONTRACT_ROUTES: readonly Route[] = [
  listRoute({
    path: "/smart-contracts",
    tag,
    summary: `a [list](#list) of the [verified contracts](#listed-contract), those verified last first, up to ${MAX_CONTRACTS} on a page`,
    list: ListedContractSchema,
    parameters: CONTRACT_PARAMETERS,
    fails: [413, 503],
    serve: async ({ network }, { query }) => {
      const filter = parseContractFilter(query);
      const { contracts, addresses, info } = await listVerifiedContracts(network, filter, parseRankedPage(query));
      return presentPage(
        contracts.map((contract) => presentListedContract(contract, addresses)),
        info,
      );
    },
  }),
  recordRoute({
    path: "/smart-contracts/{address}",
    tag,
    summary:
      "one [contract](#contract), with its source if that is [verified](#verified-contract); 404 for an address without code",
    record: AnyContractSchema,
    fails: [404, 503],
    serve: async ({ network }, { parameter }) =>
      presentContract(expectFound(await findContractDetails(network, parseAddress(parameter)))),
  }),
  recordRoute({
    path: "/smart-contracts/counters",
    tag,
    summary: "how many contracts there are: [counters](#contract-counters)",
    record: ContractCountersSchema,
    serve: async ({ network }) => presentCounts(await countContracts(network)),
  }),
  recordRoute({
    path: "/config/smart-contracts/languages",
    tag,
    summary: "`languages`: those that sources can be verified in",
    record: fields("the languages", { languages: arrayOf(Type.String(), "their names") }),
    serve: async ({ verifier }) => ({ languages: verifier === undefined ? [] : ["solidity", "yul"] }),
  }),
  recordRoute({
    path: "/smart-contracts/verification/config",
    tag,
    summary: "how contracts can be verified: the [config](#verification-config)",
    record: VerificationConfigSchema,
    serve: async ({ verifier }) => presentConfig(verifier),
  }),
];

function presentCounts(counts: ContractCounts): Shape<typeof ContractCountersSchema> {
  const { deployed, deployedInDay, verified, verifiedInDay } = counts;
  return {
    smart_contracts: String(deployed),
    new_smart_contracts_24h: String(deployedInDay),
    verified_smart_contracts: String(verified),
    new_verified_smart_contracts_24h: String(verifiedInDay),
  };
}

const EVM_VERSIONS = [
  "homestead",
  "tangerineWhistle",
  "spuriousDragon",
  "byzantium",
  "constantinople",
  "petersburg",
  "istanbul",
  "berlin",
  "london",
  "paris",
  "shanghai",
  "cancun",
  "prague",
  "osaka",
  "default",
];

function presentConfig(verifier: Verifier | undefined): Shape<typeof VerificationConfigSchema> {
  return {
    verification_options: verifier === undefined ? [] : SUBMIT_ROUTES.map(({ via }) => via).sort(),
    solidity_compiler_versions: (verifier?.compilers() ?? []).map((compiler) => `v${spellVersion(compiler)}`),
    solidity_evm_versions: EVM_VERSIONS,
    vyper_compiler_versions: [],
    vyper_evm_versions: [],
    license_types: Object.fromEntries(LICENSES.map(({ type }, at) => [type, at + 1])),
    is_rust_verifier_microservice_enabled: false,
  };
}
