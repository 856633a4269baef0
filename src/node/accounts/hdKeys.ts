import { createHmac, pbkdf2Sync } from "node:crypto";
import { pointFromScalar, privateAdd } from "tiny-secp256k1";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { defined } from "../../std/defined.ts";

/** A private key of a tree of keys (BIP-32), and what its children are derived with. */
export interface ExtendedKey {
  readonly privateKey: Bytes;
  readonly chainCode: Bytes;
}

/** Children from here on are derived from the private key, those below from the public one. */
export const HARDENED = 2 ** 31;

/** The root of the keys of a mnemonic (BIP-39) without a passphrase. */
export function masterKeyOf(mnemonic: string): ExtendedKey {
  const seed = pbkdf2Sync(mnemonic.normalize("NFKD"), "mnemonic", 2048, 64, "sha512");
  return split(hmac(Buffer.from("Bitcoin seed"), seed));
}

export function deriveChild({ privateKey, chainCode }: ExtendedKey, index: number): ExtendedKey {
  const data = new Uint8Array(37);
  if (index >= HARDENED) data.set(privateKey, 1);
  else data.set(defined(pointFromScalar(privateKey, true)));
  new DataView(data.buffer).setUint32(33, index);
  const child = split(hmac(chainCode, data));
  return { ...child, privateKey: defined(privateAdd(privateKey, child.privateKey)) };
}

function hmac(key: Bytes, data: Bytes): Bytes {
  return new Uint8Array(createHmac("sha512", key).update(data).digest());
}

function split(digest: Bytes): ExtendedKey {
  return { privateKey: digest.slice(0, 32), chainCode: digest.slice(32) };
}
