import { RLP } from "@ethereumjs/rlp";
import type { Bytes } from "../../chain/bytes.ts";
import { RPC, RpcError } from "../../chain/rpcError.ts";
import { uintToBigInt } from "../../chain/uint.ts";
import type { Sidecar } from "../blobs/sidecar.ts";
import { decodeBlobTransaction } from "../blobs/sidecar.ts";
import type { SignedTransaction } from "../block/toTransaction.ts";
import { decodeSigned } from "../block/toTransaction.ts";
import type { ForkRules } from "../rules.ts";

/** A transaction as somebody sent it. */
export interface SentTransaction extends SignedTransaction {
  readonly sidecar?: Sidecar;
}

/** Refused in geth's words, which wallets match on. */
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

/** Decodes what `eth_sendRawTransaction` was given and recovers who signed it. */
export function decodeSent(bytes: Bytes, rules: ForkRules, acceptsCellProofs: boolean): SentTransaction {
  const kind = kindOf(bytes, rules);
  if (kind.eip !== 4844) return signedBy(bytes, kind, rules);
  const { transaction, sidecar } = decodeBlobTransaction(bytes, acceptsCellProofs);
  const signed = signedBy(transaction, kind, rules);
  return sidecar === undefined ? signed : { ...signed, sidecar };
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

function signedBy(raw: Bytes, kind: Kind, rules: ForkRules): SignedTransaction {
  expectChain(fieldsOf(raw, kind), kind, rules);
  try {
    return decodeSigned(raw, rules);
  } catch (error) {
    throw refuse(inGethWords((error as Error).message, kind));
  }
}

function fieldsOf(raw: Bytes, kind: Kind): unknown[] {
  let fields: unknown;
  try {
    fields = RLP.decode(kind === LEGACY ? raw : raw.subarray(1));
  } catch (error) {
    throw refuse(rlpFault((error as Error).message));
  }
  if (!Array.isArray(fields)) throw refuse(`rlp: expected input list for ${kind.name}`);
  if (fields.length < kind.fields) throw refuse(`rlp: too few elements for ${kind.name}`);
  if (fields.length > kind.fields) throw refuse(`rlp: input list has too many elements for ${kind.name}`);
  return fields;
}

/** A transaction for another chain is told apart before its signature is looked at (EIP-155). */
function expectChain(fields: unknown[], kind: Kind, rules: ForkRules): void {
  const [field] = kind === LEGACY ? [fields[6]] : fields;
  if (!(field instanceof Uint8Array)) throw refuse(`rlp: expected input string or byte for *big.Int`);
  const value = uintToBigInt(field);
  if (kind === LEGACY && value < 35n) {
    throw refuse("only replay-protected (EIP-155) transactions allowed over RPC");
  }
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

function inGethWords(message: string, { name }: Kind): string {
  if (/leading zero/i.test(message)) return "rlp: non-canonical integer (leading zero bytes)";
  if (/signature|yParity|v, r, s|s-value|\bv\b/i.test(message))
    return "invalid sender: invalid transaction v, r, s values";
  if (/maxPriorityFeePerGas|max priority/i.test(message)) {
    return "max priority fee per gas higher than max fee per gas";
  }
  if (/to.*(address|defined|undefined)/i.test(message)) return `rlp: input string too short for common.Address`;
  if (/authorization/i.test(message)) return "EIP-7702 transaction with empty auth list";
  return `rlp: invalid value for ${name}`;
}
