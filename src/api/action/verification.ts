import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import { findContract } from "../../query/accounts/account.ts";
import { readDeployedContract } from "../../query/contracts/deployedContract.ts";
import { parseCompilerVersion } from "../../verify/compilerVersion.ts";
import { LICENSES, NO_LICENSE } from "../../verify/licenses.ts";
import { parseContractName, SourceFault } from "../../verify/standardInput.ts";
import type { SubmittedSource } from "../../verify/submission.ts";
import { isLibraryName, MAX_RUNS } from "../../verify/submission.ts";
import type { Verifier } from "../../verify/verifier.ts";
import { COSTS } from "../http/rateLimit.ts";
import type { ActionContext, ActionRequest } from "./action.ts";
import type { Answer } from "./answer.ts";
import { ActionError, fail, succeed } from "./answer.ts";
import type { Parameters } from "./parameters.ts";
import { parseAddress, parseNumber } from "./parse.ts";

/** Queues a source. Returns the job id. */
export async function verifysourcecode(
  context: ActionContext,
  parameters: Parameters,
  { client, charge }: ActionRequest,
): Promise<Answer> {
  charge(COSTS.verification);
  const verifier = verifierOf(context);
  const address = parameters.get("contractaddress") ?? parameters.get("address");
  const text = parameters.get("sourceCode");
  if (address === undefined || text === undefined) {
    throw new ActionError("Missing sourceCode or contractaddress fields");
  }
  const source = parseSource(parameters, text);
  const submission = {
    address: parseAddress(address, "Invalid address hash"),
    compiler: parseCompiler(required(parameters, "compilerversion")),
    contract: parseName(required(parameters, "contractname")),
    license: LICENSES[(parseNumber(parameters.get("licenseType")) ?? 1) - 1]?.spdx ?? NO_LICENSE,
    source,
  };
  const submitted = await verifier.submit(submission, client);
  if ("guid" in submitted) return succeed(submitted.guid);
  return fail(refusal(submitted.refused, submission.address, parameters));
}

/** Messages that tools match; some differ for requests with a chain id. */
function refusal(reason: "already_verified" | "no_code" | "busy", address: Bytes, parameters: Parameters): string {
  if (reason === "no_code") return `Unable to locate ContractCode at ${toHex(address)}`;
  if (reason === "busy") return "Max rate limit reached: too many sources wait to be verified";
  return parameters.get("chainid") === undefined
    ? "Smart-contract already verified."
    : "Contract source code already verified";
}

function verifierOf({ verifier }: ActionContext): Verifier {
  if (verifier === undefined) throw new ChainError("unsupported", "this network verifies no contracts");
  return verifier;
}

function required(parameters: Parameters, name: string): string {
  const text = parameters.get(name);
  if (text === undefined) throw new ActionError(`${name} is required.`);
  return text;
}

function parseCompiler(text: string): string {
  try {
    parseCompilerVersion(text);
    return text;
  } catch (error) {
    throw error instanceof ChainError ? new ActionError(error.message) : error;
  }
}

function parseName(text: string): string {
  try {
    parseContractName(text);
    return text;
  } catch (error) {
    throw error instanceof SourceFault ? new ActionError("contractname has invalid format") : error;
  }
}

function parseSource(parameters: Parameters, text: string): SubmittedSource {
  const format = parameters.get("codeformat")?.toLowerCase();
  if (format === "solidity-standard-json-input") return { format: "standard-json", text };
  if (format === "vyper-json")
    throw new ActionError("Vyper sources cannot be verified: no vyper compiler is configured");
  if (format !== "solidity-single-file") throw new ActionError("Missing codeformat field");
  const evmVersion = parameters.get("evmversion")?.toLowerCase();
  return {
    format: "single-file",
    text,
    optimizerRuns: parseOptimizer(parameters),
    evmVersion: evmVersion === "default" ? undefined : evmVersion,
    viaIr: parameters.get("viaIR")?.toLowerCase() === "true",
    libraries: parseLibraries(parameters),
  };
}

function parseOptimizer(parameters: Parameters): number | undefined {
  const used = parameters.get("optimizationUsed") ?? "0";
  if (used === "0" || used === "false") return undefined;
  if (used !== "1" && used !== "true") throw new ActionError("optimizationUsed has invalid format");
  const runs = parseNumber(parameters.get("runs") ?? "200");
  if (runs === undefined || runs > MAX_RUNS) throw new ActionError("runs has invalid format");
  return runs;
}

/** `libraryname1`, `libraryaddress1` to 10. */
function parseLibraries(parameters: Parameters): Record<string, string> {
  const libraries: Record<string, string> = {};
  for (let number = 1; number <= 10; number++) {
    const [name, address] = [parameters.get(`libraryname${number}`), parameters.get(`libraryaddress${number}`)];
    if (name === undefined || address === undefined) continue;
    if (!isLibraryName(name)) throw new ActionError("libraryname has invalid format");
    libraries[name] = toHex(parseAddress(address, "libraryaddress has invalid format"));
  }
  return libraries;
}

/** Milliseconds. forge polls every 15 seconds and times out a response after 30. */
export const TIMEOUT = 10_000;

/** A failure has status 0 for forge (POST) and 1 for hardhat's plugins (GET): each misreads the other's. */
export async function checkverifystatus(
  context: ActionContext,
  parameters: Parameters,
  { isPost }: ActionRequest,
): Promise<Answer> {
  const guid = required(parameters, "guid");
  const result = await verifierOf(context).result(guid, TIMEOUT);
  if (result === undefined) return fail("Unknown UID");
  if (result.state === "pending") return isPost ? fail(PENDING) : succeed(PENDING);
  if (result.state === "verified") return succeed("Pass - Verified");
  return isPost ? fail(FAILED) : succeed(FAILED);
}

const PENDING = "Pending in queue";
const FAILED = "Fail - Unable to verify";

/** Proxies are detected automatically; the id encodes the proxy and the expected implementation. */
export async function verifyproxycontract(context: ActionContext, parameters: Parameters): Promise<Answer> {
  const address = parseAddress(required(parameters, "address"), "Invalid address hash");
  const expected = parameters.get("expectedimplementation");
  const implementation = expected === undefined ? "" : toHex(parseAddress(expected, "Invalid address hash")).slice(2);
  const contract = await readDeployedContract(context, address);
  if (contract === undefined) return fail(`Unable to locate ContractCode at ${toHex(address)}`);
  return succeed(toHex(address).slice(2) + implementation);
}

/** A contract that is not indexed yet is pending: hardhat's plugin retries. */
export async function checkproxyverification(
  context: ActionContext,
  parameters: Parameters,
  { isPost }: ActionRequest,
): Promise<Answer> {
  const [, proxy, expected] = /^([\da-f]{40})([\da-f]{40})?$/i.exec(required(parameters, "guid")) ?? [];
  if (proxy === undefined) return fail("Unknown UID");
  const address = parseAddress(`0x${proxy}`, "Unknown UID");
  const contract = await findContract(context, address);
  if ((await readDeployedContract(context, address))?.isIndexed === false)
    return isPost ? fail(PENDING) : succeed(PENDING);
  if (contract !== undefined && contract.proxy === undefined) {
    throw new ChainError("upstream_unavailable", "the node does not say whether it is a proxy");
  }
  const targets = contract?.proxy?.implementations.map((target) => toHex(target)) ?? [];
  const found = targets.find((target) => expected === undefined || target === `0x${expected.toLowerCase()}`);
  if (found === undefined) return { status: "0", message: "NOTOK", result: NO_IMPLEMENTATION };
  return succeed(
    `The proxy's (${toHex(address)}) implementation contract is found at ${found} and is successfully updated.`,
  );
}

const NO_IMPLEMENTATION =
  "A corresponding implementation contract was unfortunately not detected for the proxy address.";
