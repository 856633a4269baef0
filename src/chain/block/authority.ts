import { recover } from "tiny-secp256k1";
import type { AddressBytes, Bytes, Hash } from "../encoding/bytes.ts";
import { equalBytes } from "../encoding/bytes.ts";
import { RlpWriter } from "../encoding/rlp.ts";
import type { Uint } from "../encoding/uint.ts";
import { uintToBigInt } from "../encoding/uint.ts";
import { keccak256 } from "../hashing/keccak.ts";
import type { Authorization } from "./transaction.ts";

/** Prefix of the signed authorization (EIP-7702). */
const MAGIC = 5;
/** Half the curve order; a greater `s` is malleable and rejected (EIP-2). */
const MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** Recovers the signer of an authorization; undefined if the signature is invalid. */
export function authorityOf(authorization: Authorization): AddressBytes | undefined {
  const { r, s, yParity } = authorization;
  const parity = yParity.length === 0 ? 0 : yParity.length === 1 ? yParity[0] : undefined;
  if ((parity !== 0 && parity !== 1) || r.length > 32 || s.length > 32) return undefined;
  if (uintToBigInt(s) > MAX_S) return undefined;
  const key = recoverKey(signedHash(authorization), r, s, parity);
  return key && keccak256(key.subarray(1)).subarray(12);
}

/** Maximum nonce (EIP-2681). */
const MAX_NONCE = 2n ** 64n - 1n;

/**
 * Why an authorization is invalid regardless of state, in the order of EIP-7702's checks; undefined if it depends on
 * the state. `authority` is null if it was not recovered.
 */
export function faultOf(
  { chainId, nonce }: Authorization,
  chain: Uint | undefined,
  authority: AddressBytes | undefined | null,
): "invalid_chain_id" | "invalid_nonce" | "invalid_signature" | undefined {
  const isForAll = chainId.length === 0;
  if (!isForAll && chain !== undefined && !equalBytes(chainId, chain)) return "invalid_chain_id";
  if (uintToBigInt(nonce) >= MAX_NONCE) return "invalid_nonce";
  return authority === undefined ? "invalid_signature" : undefined;
}

const scratch = new RlpWriter();

function signedHash({ chainId, address, nonce }: Authorization): Hash {
  scratch.reset();
  scratch.uint(nonce);
  scratch.string(address);
  scratch.uint(chainId);
  scratch.closeList(0);
  scratch.byte(MAGIC);
  return keccak256(scratch.written);
}

/** The library throws if r or s is out of range and returns null if they are not a point. */
function recoverKey(hash: Bytes, r: Bytes, s: Bytes, parity: 0 | 1): Bytes | undefined {
  const signature = new Uint8Array(64);
  signature.set(r, 32 - r.length);
  signature.set(s, 64 - s.length);
  try {
    return recover(hash, signature, parity, false) ?? undefined;
  } catch {
    return undefined;
  }
}
