import { RLP } from "@ethereumjs/rlp";
import { signRecoverable } from "tiny-secp256k1";
import type { Sidecar } from "../chain/block/sidecar.ts";
import type { Bytes } from "../chain/encoding/bytes.ts";
import type { Hex } from "../chain/encoding/hex.ts";
import { fromHex } from "../chain/encoding/hex.ts";
import { uintFromBigInt, uintFromNumber } from "../chain/encoding/uint.ts";
import { keccak256 } from "../chain/hashing/keccak.ts";
import { decodeSigned } from "../node/block/toTransaction.ts";
import type { SubmittedTransaction } from "../node/pool/decodeRawTransaction.ts";
import type { ForkRules } from "../node/rules.ts";
import type { Actor } from "./actors.ts";
import { versionedHash } from "./blobs.ts";

/** A transaction before nonce, fees and signature. */
export interface Intent {
  readonly from: Actor;
  /** Undefined creates a contract. */
  readonly to?: Hex;
  readonly data?: Hex;
  readonly value?: bigint;
  readonly gas: number;
  /** An older type than EIP-1559. */
  readonly form?: "legacy" | "accessList";
  readonly accessList?: readonly (readonly [Hex, readonly Hex[]])[];
  /** Delegation target of the sender's account (EIP-7702). */
  readonly delegateTo?: Hex;
  readonly sidecar?: Sidecar;
}

interface Terms {
  readonly rules: ForkRules;
  readonly nonce: number;
  readonly baseFee: bigint;
  readonly tip: bigint;
}

type Fields = (Bytes | Fields)[];

const BLOB_FEE = 1_000_000_000n;
const NOTHING: Bytes = new Uint8Array(0);

/** Deterministic (RFC 6979). */
export function signIntent(intent: Intent, terms: Terms): SubmittedTransaction {
  const raw = intent.form === "legacy" ? signLegacy(intent, terms) : signTyped(intent, terms);
  const signed = decodeSigned(raw, terms.rules, fromHex(intent.from.address));
  return intent.sidecar === undefined ? signed : { ...signed, sidecar: intent.sidecar };
}

function signLegacy(intent: Intent, { rules, nonce, baseFee, tip }: Terms): Bytes {
  const chainId = rules.chainId();
  const fields = [uintFromNumber(nonce), uintFromBigInt(baseFee + tip), ...target(intent)];
  const hash = keccak256(RLP.encode([...fields, uintFromBigInt(chainId), NOTHING, NOTHING]));
  const [parity, r, s] = sign(hash, intent.from);
  return RLP.encode([...fields, uintFromBigInt(chainId * 2n + 35n + BigInt(parity)), r, s]);
}

function signTyped(intent: Intent, terms: Terms): Bytes {
  const { type, fields } = typedFields(intent, terms);
  const [parity, r, s] = sign(keccak256(typed(type, fields)), intent.from);
  return typed(type, [...fields, uintFromNumber(parity), r, s]);
}

function typedFields(intent: Intent, { rules, nonce, baseFee, tip }: Terms): { type: number; fields: Fields } {
  const accessList = (intent.accessList ?? []).map(([address, keys]) => [fromHex(address), keys.map(fromHex)]);
  const start = [uintFromBigInt(rules.chainId()), uintFromNumber(nonce)];
  if (intent.form === "accessList") {
    return { type: 1, fields: [...start, uintFromBigInt(baseFee + tip), ...target(intent), accessList] };
  }
  const fees = [uintFromBigInt(tip), uintFromBigInt(2n * baseFee + tip)];
  const fields = [...start, ...fees, ...target(intent), accessList];
  if (intent.sidecar !== undefined) {
    return { type: 3, fields: [...fields, uintFromBigInt(BLOB_FEE), intent.sidecar.commitments.map(versionedHash)] };
  }
  if (intent.delegateTo === undefined) return { type: 2, fields };
  const delegation = delegate(intent.from, intent.delegateTo, nonce + 1, rules.chainId());
  return { type: 4, fields: [...fields, [delegation]] };
}

function target({ gas, to, value = 0n, data = "0x" }: Intent): Bytes[] {
  return [uintFromNumber(gas), to === undefined ? NOTHING : fromHex(to), uintFromBigInt(value), fromHex(data)];
}

/** The sender's nonce is incremented before the authorization is checked. */
function delegate(from: Actor, to: Hex, nonce: number, chainId: bigint): Fields {
  const fields = [uintFromBigInt(chainId), fromHex(to), uintFromNumber(nonce)];
  const [parity, r, s] = sign(keccak256(typed(5, fields)), from);
  return [...fields, uintFromNumber(parity), r, s];
}

function typed(type: number, fields: Fields): Bytes {
  return Buffer.concat([Buffer.from([type]), RLP.encode(fields)]);
}

function sign(hash: Bytes, { privateKey }: Actor): [number, Bytes, Bytes] {
  const { signature, recoveryId } = signRecoverable(hash, privateKey);
  return [recoveryId, trimmed(signature.subarray(0, 32)), trimmed(signature.subarray(32))];
}

function trimmed(bytes: Bytes): Bytes {
  let start = 0;
  while (start < bytes.length && bytes[start] === 0) start++;
  return bytes.subarray(start);
}
