import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { ListedTransaction } from "../../store/rows/transactionBody.ts";
import type { ListedInput } from "./decoder.ts";

export type Method = string | Bytes;

/** Calldata to an unknown address counts as a call: genesis contracts leave no trace. */
export function isCall(tx: ListedTransaction, addresses: AddressInfos): boolean {
  return tx.to !== null && (tx.input?.length ?? 4) >= 4 && addresses.get(tx.to)?.runsCode !== false;
}

export function listedInput({
  input,
  selector,
}: Pick<ListedTransaction, "input"> & { readonly selector?: Bytes | undefined }): ListedInput {
  return input ?? (selector === undefined ? EMPTY : { selector });
}

/** Undefined for plain transfers. */
export function methodOf(tx: ListedTransaction, addresses: AddressInfos, name: string | undefined): Method | undefined {
  return isCall(tx, addresses) ? (name ?? (tx.input ?? tx.selector ?? EMPTY).subarray(0, 4)) : undefined;
}
