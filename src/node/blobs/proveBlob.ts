import type { KZG } from "micro-eth-signer/kzg.js";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { provingKzg } from "./trustedSetup.ts";

export interface BlobProof {
  readonly commitment: Bytes;
  readonly proof: Bytes;
}

export interface BlobProver {
  /** Rejects invalid blobs. */
  prove(blob: Bytes): Promise<BlobProof>;
}

let kzg: KZG | undefined;

/** Blocks its thread for a second or more. */
export function proveBlob(blob: Bytes): BlobProof {
  kzg ??= provingKzg();
  const text = toHex(blob);
  const commitment = kzg.blobToKzgCommitment(text);
  return { commitment: fromHex(commitment as Hex), proof: fromHex(kzg.computeBlobProof(text, commitment) as Hex) };
}
