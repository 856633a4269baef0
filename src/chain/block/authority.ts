import { recover } from "tiny-secp256k1";
import type { AddressBytes, Bytes, Hash } from "../encoding/bytes.ts";
import { equalBytes } from "../encoding/bytes.ts";
import { RlpWriter } from "../encoding/rlp.ts";
import type { Uint } from "../encoding/uint.ts";
import { uintToBigInt } from "../encoding/uint.ts";
import { keccak256 } from "../hashing/keccak.ts";
import type { Authorization } from "./transaction.ts";

/** What an authorization's signature is over begins with this byte (EIP-7702). */
const MAGIC = 5;
/** Half of the order of the curve: a greater `s` is another spelling of a signature, and refused (EIP-2). */
const GREATEST_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** The account that signed an authorization; undefined where no account can have. */
export function authorityOf(authorization: Authorization): AddressBytes | undefined {
  const { r, s, yParity } = authorization;
  const parity = yParity.length === 0 ? 0 : yParity.length === 1 ? yParity[0] : undefined;
  if ((parity !== 0 && parity !== 1) || r.length > 32 || s.length > 32) return undefined;
  if (uintToBigInt(s) > GREATEST_S) return undefined;
  const key = recoverKey(signedHash(authorization), r, s, parity);
  return key && keccak256(key.subarray(1)).subarray(12);
}

/** The nonce that no account may go beyond (EIP-2681). */
const GREATEST_NONCE = 2n ** 64n - 1n;

/**
 * Why an authorization cannot take effect, whatever the state (EIP-7702, in the order of its checks); undefined where only the
 * state tells. `authority` is who signed it, null where nobody looked.
 */
export function faultOf(
  { chainId, nonce }: Authorization,
  chain: Uint | undefined,
  authority: AddressBytes | undefined | null,
): "invalid_chain_id" | "invalid_nonce" | "invalid_signature" | undefined {
  const isForAll = chainId.length === 0;
  if (!isForAll && chain !== undefined && !equalBytes(chainId, chain)) return "invalid_chain_id";
  if (uintToBigInt(nonce) >= GREATEST_NONCE) return "invalid_nonce";
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

/** The library throws on what is no pair of numbers below the order, and answers null where they are no point. */
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
