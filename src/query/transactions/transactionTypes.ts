import { createsContract } from "../../chain/block/receipt.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import { isCall } from "../decode/method.ts";
import type { TransactionView } from "./transactionView.ts";

/** In the order that clients know. */
export const TRANSACTION_TYPES = [
  "coin_transfer",
  "contract_call",
  "contract_creation",
  "token_creation",
  "token_transfer",
  "blob_transaction",
  "set_code_transaction",
] as const;

export type TransactionType = (typeof TRANSACTION_TYPES)[number];

/** Token types are missing if `transferCount` is undefined. */
export function typesOf(
  view: TransactionView & { readonly transferCount: number | undefined },
  addresses: AddressInfos,
): TransactionType[] {
  const { transaction: tx } = view;
  const types: TransactionType[] = [];
  if (tx.value.length > 0) types.push("coin_transfer");
  if (isCall(tx, addresses)) types.push("contract_call");
  if (tx.to === null) types.push("contract_creation");
  types.push(...tokenTypesOf(view, addresses));
  if (tx.type === 3) types.push("blob_transaction");
  if (tx.type === 4) types.push("set_code_transaction");
  return types;
}

function tokenTypesOf(
  { outcome, transferCount }: TransactionView & { readonly transferCount: number | undefined },
  addresses: AddressInfos,
): TransactionType[] {
  if (outcome === undefined || transferCount === undefined) return [];
  const { contractAddress } = outcome.receipt;
  const isTokenMade =
    contractAddress !== null && createsContract(outcome.receipt) && addresses.get(contractAddress)?.isToken === true;
  const types: TransactionType[] = isTokenMade ? ["token_creation"] : [];
  return transferCount > 0 ? [...types, "token_transfer"] : types;
}
