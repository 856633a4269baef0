import { transactionHash } from "../../../chain/block/block.ts";
import type { Transaction } from "../../../chain/block/transaction.ts";
import { writeTransaction } from "../../../chain/block/transaction.ts";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { EMPTY } from "../../../chain/encoding/bytes.ts";
import { RlpWriter } from "../../../chain/encoding/rlp.ts";
import { uintFromBigInt, uintFromNumber } from "../../../chain/encoding/uint.ts";
import type { Draft } from "../../../chain/encoding/wire.ts";
import type { CallRequest } from "../callRequest.ts";
import type { Message } from "../message.ts";

export function unsignedTransaction(request: CallRequest, message: Message, chainId: number): Transaction {
  const draft: Draft<Transaction> = {
    type: typeOf(request),
    hash: EMPTY,
    from: message.from.bytes,
    to: message.to?.bytes ?? null,
    nonce: uintFromBigInt(message.nonce ?? 0n),
    gas: uintFromBigInt(message.gas),
    value: uintFromBigInt(message.value),
    input: message.data,
    v: EMPTY,
    r: EMPTY,
    s: EMPTY,
  };
  if (draft.type === 0) draft.gasPrice = uintFromBigInt(message.gasPrice);
  else addTypedFields(draft, message, chainId);
  draft.hash = transactionHash(draft);
  return draft;
}

function typeOf({ gasPrice, authorizationList, blobVersionedHashes }: CallRequest): number {
  if (gasPrice !== undefined) return 0;
  if (authorizationList !== undefined) return 4;
  return blobVersionedHashes === undefined ? 2 : 3;
}

function addTypedFields(draft: Draft<Transaction>, message: Message, chainId: number): void {
  draft.chainId = uintFromNumber(chainId);
  draft.maxFeePerGas = uintFromBigInt(message.maxFeePerGas);
  draft.maxPriorityFeePerGas = uintFromBigInt(message.maxPriorityFeePerGas);
  draft.accessList = message.accessList;
  if (draft.type === 3) {
    draft.maxFeePerBlobGas = uintFromBigInt(message.maxFeePerBlobGas ?? 0n);
    draft.blobVersionedHashes = message.blobVersionedHashes ?? [];
  }
  if (draft.type === 4) draft.authorizationList = message.authorizationList ?? [];
}

export function encodeTransaction(tx: Transaction): Bytes {
  const writer = new RlpWriter();
  writeTransaction(tx, writer);
  return writer.written.slice();
}
