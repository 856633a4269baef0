import { CELLS_PER_BLOB, type Sidecar } from "../../chain/block/sidecar.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { versionedHash } from "../../chain/hashing/versionedHash.ts";
import { itemAt } from "../../std/values.ts";
import { refuse } from "./rlpItem.ts";

interface SidecarLimits {
  readonly maxBlobs: number;
}

/**
 * Checks a sidecar against the blob hashes in geth's order. Proofs are a hundred times as expensive and verified
 * elsewhere.
 */
export function checkSidecar(
  hashes: readonly Bytes[],
  sidecar: Sidecar | undefined,
  limits: SidecarLimits,
): asserts sidecar is Sidecar {
  if (sidecar === undefined) throw refuse("missing sidecar in blob transaction");
  if (hashes.length === 0) throw refuse("blobless blob transaction");
  if (hashes.length > limits.maxBlobs) {
    throw refuse(`too many blobs in transaction: have ${hashes.length}, permitted ${limits.maxBlobs}`);
  }
  const { blobs, commitments, proofs } = sidecar;
  if (blobs.length !== hashes.length) {
    throw refuse(`invalid number of ${blobs.length} blobs compared to ${hashes.length} blob hashes`);
  }
  if (commitments.length !== hashes.length) {
    throw refuse(`invalid number of ${commitments.length} blob commitments compared to ${hashes.length} blob hashes`);
  }
  for (const [i, expected] of hashes.entries()) {
    const computed = versionedHash(itemAt(commitments, i));
    if (!equalBytes(computed, expected)) {
      throw refuse(`blob ${i}: computed hash ${toHex(computed)} mismatches transaction one ${toHex(expected)}`);
    }
  }
  const expectedProofs = hashes.length * (sidecar.version === 1 ? CELLS_PER_BLOB : 1);
  if (proofs.length !== expectedProofs) {
    throw refuse(`invalid number of ${proofs.length} blob proofs expected ${expectedProofs}`);
  }
}
