import type { KZG } from "micro-eth-signer/kzg.js";
import { CELLS_PER_BLOB, type Sidecar } from "../../chain/block/sidecar.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { blobKzg, cellKzg } from "./trustedSetup.ts";

let forBlobs: KZG | undefined;
let forCells: KZG | undefined;

/** Blocks its thread for a tenth of a second or more. */
export function verifyProofs(sidecar: Sidecar): boolean {
  return sidecar.version === 0 ? verifyBlobProofs(sidecar) : verifyCellProofs(sidecar);
}

function verifyBlobProofs({ blobs, commitments, proofs }: Sidecar): boolean {
  forBlobs ??= blobKzg();
  return forBlobs.verifyBlobProofBatch(toHexes(blobs), toHexes(commitments), toHexes(proofs));
}

function verifyCellProofs({ blobs, commitments, proofs }: Sidecar): boolean {
  if (commitments.length !== blobs.length || proofs.length !== blobs.length * CELLS_PER_BLOB) return false;
  forCells ??= cellKzg();
  const kzg = forCells;
  const ofCells = toHexes(commitments).flatMap((commitment) => new Array<string>(CELLS_PER_BLOB).fill(commitment));
  const indices = proofs.map((_, i) => i % CELLS_PER_BLOB);
  try {
    const cells = blobs.flatMap((blob) => kzg.computeCells(toHex(blob)));
    return kzg.verifyCellKzgProofBatch(ofCells, indices, cells, toHexes(proofs));
  } catch {
    // The library throws on invalid field elements and points.
    return false;
  }
}

function toHexes(list: readonly Bytes[]): string[] {
  return list.map(toHex);
}
