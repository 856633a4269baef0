import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { FoundSource } from "../../store/contracts/sources.ts";
import type { VerifiedContract } from "../../verify/verification.ts";
import type { QueryContext } from "../context.ts";
import { readIndexedRange } from "../indexedRange.ts";

/** A verified contract with its source. */
export interface ContractSource extends Omit<FoundSource, "record"> {
  readonly contract: VerifiedContract;
}

/** The source of the contract at an address, for the code that it has now. */
export async function findContractSource(context: QueryContext, address: Bytes): Promise<ContractSource | undefined> {
  const { store, node, sources } = context;
  if (sources === undefined || node === undefined) return undefined;
  const range = await store.read(readIndexedRange);
  const account = range && (await node.state.account(address, range.tip));
  if (account === undefined || account.code.length === 0) return undefined;
  const found = await sources.sourceOf(address, account.code);
  if (found === undefined) return undefined;
  const { record, ...head } = found;
  return { ...head, contract: JSON.parse(record) as VerifiedContract };
}
