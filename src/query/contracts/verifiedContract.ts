import type { Bytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import type { FoundSource } from "../../store/contracts/sources.ts";
import type { VerifiedContract } from "../../verify/verification.ts";
import type { Contract } from "../accounts/account.ts";
import { findContract } from "../accounts/account.ts";
import type { QueryContext } from "../context.ts";
import { readIndexedRange } from "../indexedRange.ts";

export interface ContractSource extends Omit<FoundSource, "record"> {
  readonly contract: VerifiedContract;
}

/** For the current code. Without the node, missing code cannot be detected. */
export async function findContractSource(context: QueryContext, address: Bytes): Promise<ContractSource | undefined> {
  const { store, node } = context;
  if (context.sources === undefined) return undefined;
  const range = await store.read(readIndexedRange);
  const account = range && (await node?.state.account(address, range.tip));
  if (account === undefined) throw new ChainError("upstream_unavailable", "the node does not say the code");
  return sourceOfCode(context, address, account.code);
}

export interface ContractDetails {
  readonly contract: Contract;
  readonly source: ContractSource | undefined;
  readonly failure: string | undefined;
}

/** Undefined for an address without code. */
export async function findContractDetails(context: QueryContext, address: Bytes): Promise<ContractDetails | undefined> {
  const contract = await findContract(context, address);
  if (contract === undefined) return undefined;
  const code = contract.account?.code;
  return {
    contract,
    source: code && (await sourceOfCode(context, address, code)),
    failure: await context.sources?.lastFailure(address),
  };
}

async function sourceOfCode(
  { sources }: QueryContext,
  address: Bytes,
  code: Bytes,
): Promise<ContractSource | undefined> {
  const found = code.length === 0 ? undefined : await sources?.sourceOf(address, code);
  if (found === undefined) return undefined;
  const { record, ...head } = found;
  return { ...head, contract: JSON.parse(record) as VerifiedContract };
}
