import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { Account } from "../../query/accounts/account.ts";
import { findContract } from "../../query/accounts/account.ts";
import type { ContractFilter } from "../../query/accounts/contracts.ts";
import { listContracts } from "../../query/accounts/contracts.ts";
import type { QueryContext } from "../../query/context.ts";
import { findContractSource } from "../../query/contracts/verifiedContract.ts";
import { findTransaction } from "../../query/transactions/transaction.ts";
import { mapInTurns } from "../../std/async.ts";
import type { ActionRequest } from "./action.ts";
import type { Answer } from "./answer.ts";
import { ActionError, fail, list, succeed } from "./answer.ts";
import type { Parameters } from "./parameters.ts";
import type { RowWindow } from "./parse.ts";
import { parseNumber, parsePage, requireAddress, requireAddresses } from "./parse.ts";
import { NOT_VERIFIED, presentSource, presentUnverified, presentVerified } from "./presentSource.ts";

const TEXTS = { missing: "Query parameter address is required", invalid: "Invalid address hash" };

/** Specification, section 4.2. */
export async function getabi(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const source = await findContractSource(context, requireAddress(parameters, "address", TEXTS));
  return source === undefined ? fail(NOT_VERIFIED) : succeed(JSON.stringify(source.contract.abi));
}

/** Specification, section 4.2. */
export async function getsourcecode(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const address = requireAddress(parameters, "address", TEXTS);
  const source = await findContractSource(context, address);
  const proxy = (await findContract(context, address))?.proxy;
  const implementations = proxy?.implementations.map((target) => toHex(target)) ?? [];
  return succeed([
    {
      ...(source === undefined ? UNVERIFIED : presentSource(source)),
      Proxy: implementations.length > 0 ? "1" : "0",
      Implementation: implementations[0] ?? "",
      SwarmSource: "",
      SimilarMatch: source?.isSimilar === true ? toHex(source.address) : "",
      Address: toHex(address),
      ...(implementations.length > 0 && {
        ImplementationAddress: implementations[0],
        ImplementationAddresses: implementations,
      }),
    },
  ]);
}

const UNVERIFIED = {
  SourceCode: "",
  ABI: NOT_VERIFIED,
  ContractName: "",
  CompilerVersion: "",
  CompilerType: "",
  OptimizationUsed: "",
  Runs: "",
  ConstructorArguments: "",
  EVMVersion: "Default",
  Library: "",
  LicenseType: "Unknown",
  ContractFileName: "",
};

export const MAX_CREATIONS = 10;

const CREATION_TEXTS = {
  missing: "Query parameter contractaddresses is required",
  invalid: "Invalid address format",
};

/** Skips addresses without code. */
export async function getcontractcreation(
  context: QueryContext,
  parameters: Parameters,
  { isEtherscan }: ActionRequest,
): Promise<Answer> {
  const addresses = requireAddresses(parameters, "contractaddresses", MAX_CREATIONS, CREATION_TEXTS);
  const rows: NonNullable<Awaited<ReturnType<typeof readCreation>>>[] = [];
  for (const address of addresses) {
    // Sequential: each may need a search of its own, and the node handles few at a time.
    const row = await readCreation(context, address);
    if (row !== undefined) rows.push(row);
  }
  if (rows.length > 0) return succeed(rows);
  return { status: "0", message: "No data found", result: isEtherscan ? null : [] };
}

async function readCreation(context: QueryContext, address: Account["address"]) {
  const creation = (await findContract(context, address))?.creation;
  const found = creation && (await findTransaction(context, creation.transaction));
  if (creation === undefined || found === undefined) return undefined;
  const { transaction, outcome } = found;
  const isDirect = transaction.to === null;
  return {
    contractAddress: toHex(address),
    contractCreator: toHex(transaction.from),
    txHash: toHex(creation.transaction),
    blockNumber: String(outcome?.header.number ?? ""),
    timestamp: String(outcome?.header.timestamp ?? ""),
    contractFactory: isDirect ? "" : toHex(creation.creator),
    creationBytecode: creation.input === undefined ? "" : toHex(creation.input),
  };
}

export const MAX_LISTED = 1000;

/** Deployed contracts, oldest first; verified ones, newest first. */
export async function listcontracts(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const filter = parseFilter(parameters.get("filter"));
  const page = parsePage(parameters, MAX_LISTED, 10);
  const rows =
    filter === "verified" ? await listVerified(context, parameters, page) : await listDeployed(context, filter, page);
  return list(rows, "No contracts found");
}

async function listVerified({ sources }: QueryContext, parameters: Parameters, { skip, limit }: RowWindow) {
  const from = parseNumber(parameters.get("verified_at_start_timestamp"));
  const to = parseNumber(parameters.get("verified_at_end_timestamp"));
  return mapInTurns((await sources?.verified({ skip, limit, from, to })) ?? [], presentVerified);
}

async function listDeployed(context: QueryContext, filter: ContractFilter | undefined, page: RowWindow) {
  const addresses = await listContracts(context, filter, page);
  const isVerified = (address: Bytes) => context.sources?.verifiedContracts.has(address) === true;
  const verified = (await context.sources?.verifiedAmong(addresses.filter(isVerified))) ?? [];
  const byAddress = new Map(verified.map((source) => [toHex(source.address), source]));
  return mapInTurns(addresses, (address) => {
    const source = byAddress.get(toHex(address));
    return source === undefined ? presentUnverified(address) : presentVerified(source);
  });
}

const FILTERS = new Map<string, ContractFilter | "verified">([
  ["verified", "verified"],
  ["1", "verified"],
  ["unverified", "unverified"],
  ["2", "unverified"],
  ["empty", "empty"],
  ["3", "empty"],
]);

function parseFilter(text: string | undefined): ContractFilter | "verified" | undefined {
  const filter = text === undefined ? undefined : FILTERS.get(text.toLowerCase());
  if (text !== undefined && filter === undefined) {
    throw new ActionError(`Invalid filter. Please use one of: ${[...FILTERS.keys()].join(", ")}`);
  }
  return filter;
}
