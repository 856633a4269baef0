import { RLP } from "@ethereumjs/rlp";
import { BLOB_GAS } from "../../chain/block/fees.ts";
import type { Sidecar } from "../../chain/block/sidecar.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { RPC, RpcError } from "../../jsonrpc/rpcError.ts";
import { messageOf } from "../../std/values.ts";
import { checkSidecar } from "../blobs/checkSidecar.ts";
import { decodeBlobTransaction } from "../blobs/sidecar.ts";
import type { SignedTransaction } from "../block/toTransaction.ts";
import { decodeSigned } from "../block/toTransaction.ts";
import type { ForkRules } from "../rules.ts";

export interface SubmittedTransaction extends SignedTransaction {
  readonly sidecar?: Sidecar;
}

/** geth's messages, which wallets match. */
export function refuse(message: string): RpcError {
  return new RpcError(RPC.server, message);
}

interface Kind {
  readonly name: string;
  readonly fields: number;
  readonly eip: number;
}

const LEGACY: Kind = { name: "types.LegacyTx", fields: 9, eip: 0 };

const KINDS: readonly (Kind | undefined)[] = [
  undefined,
  { name: "types.AccessListTx", fields: 11, eip: 2930 },
  { name: "types.DynamicFeeTx", fields: 12, eip: 1559 },
  { name: "types.BlobTx", fields: 14, eip: 4844 },
  { name: "types.SetCodeTx", fields: 13, eip: 7702 },
];

export function decodeRawTransaction(bytes: Bytes, rules: ForkRules, acceptsCellProofs: boolean): SubmittedTransaction {
  const kind = kindOf(bytes, rules);
  if (kind.eip !== 4844) return signedBy(bytes, kind, rules);
  const { transaction, sidecar } = decodeBlobTransaction(bytes, acceptsCellProofs);
  const onRefused = (fields: unknown[]) => checkSidecar(hashesOf(fields), sidecar, { maxBlobs: maxBlobs(rules) });
  const signed = signedBy(transaction, kind, rules, onRefused);
  return sidecar === undefined ? signed : { ...signed, sidecar };
}

export function maxBlobs(rules: ForkRules): number {
  return Number(rules.getBlobGasSchedule().maxBlobGasPerBlock) / BLOB_GAS;
}

const BLOB_HASHES = 10;

function hashesOf(fields: unknown[]): Bytes[] {
  const hashes = fields[BLOB_HASHES];
  return Array.isArray(hashes) ? hashes.filter((hash) => hash instanceof Uint8Array) : [];
}

function kindOf(bytes: Bytes, rules: ForkRules): Kind {
  const [first] = bytes;
  if (first === undefined) throw refuse("typed transaction too short");
  if (first >= 0xc0) return LEGACY;
  if (first >= 0x80) throw refuse("rlp: expected input list for types.LegacyTx");
  const kind = KINDS[first];
  if (kind === undefined || !rules.isActivatedEIP(kind.eip)) throw refuse("transaction type not supported");
  if (bytes.length === 1) throw refuse("typed transaction too short");
  return kind;
}

/** geth may check something else first. */
function signedBy(
  raw: Bytes,
  kind: Kind,
  rules: ForkRules,
  onRefused: (fields: unknown[]) => void = () => {},
): SignedTransaction {
  const fields = fieldsOf(raw, kind);
  expectChain(fields, kind, rules);
  try {
    return decodeSigned(raw, rules);
  } catch (error) {
    onRefused(fields);
    throw refuse(inGethWords(messageOf(error), kind));
  }
}

function fieldsOf(raw: Bytes, kind: Kind): unknown[] {
  let fields: unknown;
  try {
    fields = RLP.decode(kind === LEGACY ? raw : raw.subarray(1));
  } catch (error) {
    throw refuse(rlpFault(messageOf(error)));
  }
  if (!Array.isArray(fields)) throw refuse(`rlp: expected input list for ${kind.name}`);
  if (fields.length < kind.fields) throw refuse(`rlp: too few elements for ${kind.name}`);
  if (fields.length > kind.fields) throw refuse(`rlp: input list has too many elements for ${kind.name}`);
  return fields;
}

/** The chain id is checked before the signature (EIP-155). */
function expectChain(fields: unknown[], kind: Kind, rules: ForkRules): void {
  const [field] = kind === LEGACY ? [fields[6]] : fields;
  if (!(field instanceof Uint8Array)) throw refuse(`rlp: expected input string or byte for *big.Int`);
  const value = uintToBigInt(field);
  // Legacy transactions without chain id deploy contracts at one address on all chains.
  if (kind === LEGACY && value < 35n) return;
  const [have, want] = [kind === LEGACY ? (value - 35n) / 2n : value, rules.chainId()];
  if (have !== want) throw refuse(`invalid sender: invalid chain id for signer: have ${have} want ${want}`);
}

function rlpFault(message: string): string {
  if (/remainder|trailing/i.test(message)) return "rlp: input contains more than one value";
  if (/shorter|not enough|out of bounds|too short|larger|length/i.test(message)) {
    return "rlp: value size exceeds available input length";
  }
  return "rlp: non-canonical size information";
}

/** geth's messages by the library's. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/leading zero/i, "rlp: non-canonical integer (leading zero bytes)"],
  [/signature|yParity|v, r, s|s-value|\bv\b/i, "invalid sender: invalid transaction v, r, s values"],
  [/cannot be less than maxPriorityFeePerGas/, "max priority fee per gas higher than max fee per gas"],
  [/gasLimit \* \w+ cannot exceed/, "insufficient funds for gas * price + value"],
  [/maxFeePerGas cannot exceed/, "max fee per gas higher than 2^256-1"],
  [/maxPriorityFeePerGas cannot exceed/, "max priority fee per gas higher than 2^256-1"],
  [/nonce cannot equal .* given 18446744073709551615$/, "nonce has max value"],
  [/MAX_UINT64/, "rlp: input string too long for uint64"],
  [/"to" field|\bto\b.*(address|defined)|address length/i, "rlp: input string too short for common.Address"],
  [/authorization/i, "EIP-7702 transaction with empty auth list"],
];

function inGethWords(message: string, { name }: Kind): string {
  // The library appends a description of the transaction.
  const text = message.replace(/ \(tx type=.*$/s, "");
  const size = /initcode size .* it is (\d+) while the max is (\d+)/.exec(text);
  if (size !== null) return `max initcode size exceeded: code size ${size[1]}, limit ${size[2]}`;
  const gas = /gas limit (\d+) exceeds .* EIP-7825 \((\d+)\)/.exec(text);
  if (gas !== null) return `transaction gas limit too high (cap: ${gas[2]}, tx: ${gas[1]})`;
  return WORDS.find(([pattern]) => pattern.test(text))?.[1] ?? `rlp: invalid value for ${name}`;
}
