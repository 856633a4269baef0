import { recover } from "tiny-secp256k1";
import type { Bytes } from "./bytes.ts";
import { keccak256 } from "./keccak.ts";
import { RlpWriter } from "./rlp.ts";
import type { Authorization } from "./transaction.ts";
import { uintToBigInt } from "./uint.ts";

/** What an authorization's signature is over begins with this byte (EIP-7702). */
const MAGIC = 5;
/** Half of the order of the curve: a greater `s` is another spelling of a signature, and refused (EIP-2). */
const GREATEST_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** The account that signed an authorization; undefined where no account can have. */
export function authorityOf(authorization: Authorization): Bytes | undefined {
  const { r, s, yParity } = authorization;
  const parity = yParity.length === 0 ? 0 : yParity.length === 1 ? yParity[0] : undefined;
  if ((parity !== 0 && parity !== 1) || r.length > 32 || s.length > 32) return undefined;
  if (uintToBigInt(s) > GREATEST_S) return undefined;
  const key = recoverKey(signedHash(authorization), r, s, parity);
  return key && keccak256(key.subarray(1)).subarray(12);
}

const scratch = new RlpWriter();

function signedHash({ chainId, address, nonce }: Authorization): Bytes {
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
