import type { TypedTransaction } from "@ethereumjs/tx";
import { createTxFromRLP } from "@ethereumjs/tx";
import { Address } from "@ethereumjs/util";
import type { AccessListEntry, Authorization, Transaction } from "../../chain/block/transaction.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { uintFromBigInt, uintToBigInt } from "../../chain/encoding/uint.ts";
import type { Draft } from "../../chain/encoding/wire.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import type { ForkRules } from "../rules.ts";
import { asString, decodeList } from "../state/rlpFields.ts";

export interface SignedTransaction {
  readonly raw: Bytes;
  readonly runnable: TypedTransaction;
  readonly transaction: Transaction;
}

/** A given sender is not recovered: an impersonated one never signed. Code size is checked by the pool. */
export function decodeSigned(raw: Bytes, rules: ForkRules, sender?: Bytes): SignedTransaction {
  const runnable = sender === undefined ? decodeRlp(raw, rules) : decodeKept(raw, rules);
  const address = sender === undefined ? runnable.getSenderAddress() : new Address(sender);
  // The library would recover it on every call.
  runnable.getSenderAddress = () => address;
  return { raw, runnable, transaction: toTransaction(runnable, keccak256(raw), address.bytes) };
}

/** For a transaction that was validated before; the chain id may have changed since. */
export function decodeKept(raw: Bytes, rules: ForkRules): TypedTransaction {
  try {
    return decodeRlp(raw, rules);
  } catch (error) {
    const chainId = chainIdOf(raw);
    if (chainId === undefined || chainId === Number(rules.chainId())) throw error;
    return decodeRlp(raw, rules.onChain(chainId));
  }
}

function decodeRlp(raw: Bytes, rules: ForkRules): TypedTransaction {
  return createTxFromRLP(raw, { common: rules, freeze: false, allowUnlimitedInitCodeSize: true });
}

/** Legacy transactions encode it in `v` (EIP-155). */
function chainIdOf(raw: Bytes): number | undefined {
  const isLegacy = (raw[0] ?? 0) >= 0xc0;
  const fields = decodeList(isLegacy ? raw : raw.subarray(1));
  const value = Number(uintToBigInt(asString(fields[isLegacy ? 6 : 0])));
  if (!isLegacy) return value;
  return value < 35 ? undefined : Math.floor((value - 35) / 2);
}

type AuthorizationFields = readonly [chainId: Bytes, address: Bytes, nonce: Bytes, yParity: Bytes, r: Bytes, s: Bytes];

interface Fields {
  readonly gasPrice?: bigint;
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
  readonly maxFeePerBlobGas?: bigint;
  readonly chainId?: bigint;
  readonly accessList?: readonly (readonly [Bytes, readonly Bytes[]])[];
  readonly blobVersionedHashes?: readonly `0x${string}`[];
  readonly authorizationList?: readonly AuthorizationFields[];
}

export function toTransaction(tx: TypedTransaction, hash: Bytes, from: Bytes): Transaction {
  const draft: Draft<Transaction> = {
    type: tx.type,
    hash,
    from,
    to: tx.to?.bytes ?? null,
    nonce: uintFromBigInt(tx.nonce),
    gas: uintFromBigInt(tx.gasLimit),
    value: uintFromBigInt(tx.value),
    input: tx.data,
    v: uintFromBigInt(tx.v ?? 0n),
    r: uintFromBigInt(tx.r ?? 0n),
    s: uintFromBigInt(tx.s ?? 0n),
  };
  const fields = tx as unknown as Fields;
  addFees(fields, draft);
  addLists(fields, draft);
  if (tx.type === 0) addReplayProtection(tx.v ?? 0n, draft);
  return draft;
}

function addFees(fields: Fields, draft: Draft<Transaction>): void {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas, chainId } = fields;
  if (draft.type < 2) draft.gasPrice = uintFromBigInt(gasPrice ?? 0n);
  if (draft.type > 0) draft.chainId = uintFromBigInt(chainId ?? 0n);
  if (maxFeePerGas !== undefined) draft.maxFeePerGas = uintFromBigInt(maxFeePerGas);
  if (maxPriorityFeePerGas !== undefined) draft.maxPriorityFeePerGas = uintFromBigInt(maxPriorityFeePerGas);
  if (maxFeePerBlobGas !== undefined) draft.maxFeePerBlobGas = uintFromBigInt(maxFeePerBlobGas);
}

function addLists({ accessList, blobVersionedHashes, authorizationList }: Fields, draft: Draft<Transaction>): void {
  if (accessList !== undefined) {
    draft.accessList = accessList.map(([address, storageKeys]): AccessListEntry => ({ address, storageKeys }));
  }
  if (blobVersionedHashes !== undefined) {
    draft.blobVersionedHashes = blobVersionedHashes.map((hash) => Buffer.from(hash.slice(2), "hex"));
  }
  if (authorizationList !== undefined) draft.authorizationList = authorizationList.map(toAuthorization);
}

function toAuthorization([chainId, address, nonce, yParity, r, s]: AuthorizationFields): Authorization {
  return { chainId, address, nonce, yParity, r, s };
}

/** EIP-155. */
function addReplayProtection(v: bigint, draft: Draft<Transaction>): void {
  if (v >= 35n) draft.chainId = uintFromBigInt((v - 35n) / 2n);
}
