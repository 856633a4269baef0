import { createHash } from "node:crypto";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { BLOB_SIZE, POINT_SIZE, type Sidecar } from "../chain/block/sidecar.ts";
import type { Bytes } from "../chain/encoding/bytes.ts";

/** A field element is below a 255-bit prime, so 31 bytes always fit. */
export const MAX_TEXT = 31;
const ELEMENT = 32;

/**
 * A sidecar whose blobs repeat one field element: a constant polynomial, whose commitment is the generator times the
 * element and whose proof is the point at infinity.
 */
export function sidecarOf(texts: readonly string[]): Sidecar {
  return {
    version: 0,
    blobs: texts.map(repeat),
    commitments: texts.map(commit),
    proofs: texts.map(() => bls12_381.G1.Point.ZERO.toBytes()),
  };
}

export function versionedHash(commitment: Bytes): Bytes {
  if (commitment.length !== POINT_SIZE) throw new Error(`expected ${POINT_SIZE} bytes, not ${commitment.length}`);
  const hash = createHash("sha256").update(commitment).digest();
  hash[0] = 1;
  return hash;
}

function element(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length === 0 || bytes.length > MAX_TEXT) throw new Error(`a blob repeats 1 to ${MAX_TEXT} bytes`);
  const padded = Buffer.alloc(ELEMENT);
  bytes.copy(padded, 1);
  return padded;
}

function repeat(text: string): Bytes {
  return Buffer.alloc(BLOB_SIZE, element(text));
}

function commit(text: string): Bytes {
  return bls12_381.G1.Point.BASE.multiply(BigInt(`0x${element(text).toString("hex")}`)).toBytes();
}
