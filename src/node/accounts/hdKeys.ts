import { createHmac, pbkdf2Sync } from "node:crypto";
import { pointFromScalar, privateAdd } from "tiny-secp256k1";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { defined } from "../../std/values.ts";

interface ExtendedKey {
  readonly privateKey: Bytes;
  readonly chainCode: Bytes;
}

/** First hardened index: children derive from the private key. */
export const HARDENED = 2 ** 31;

/** BIP-39 seed without a passphrase. */
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
