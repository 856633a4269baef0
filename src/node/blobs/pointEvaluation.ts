import type { KZG as CustomKzg } from "@ethereumjs/util";
import type { KZG } from "micro-eth-signer/kzg.js";
import { ChainError } from "../../chain/error.ts";
import { pointKzg } from "./trustedSetup.ts";

let kzg: KZG | undefined;

function notHere(): never {
  throw new ChainError("internal", "blobs are verified in the KZG thread, not by the EVM");
}

/** The EVM only calls it from the point evaluation precompile. */
export const pointEvaluation: CustomKzg = {
  verifyProof(commitment, z, y, proof) {
    kzg ??= pointKzg();
    return kzg.verifyProof(commitment, z, y, proof);
  },
  blobToKzgCommitment: notHere,
  computeBlobProof: notHere,
  verifyBlobProofBatch: notHere,
  computeCells: notHere,
  computeCellsAndProofs: notHere,
  recoverCellsAndProofs: notHere,
  verifyCellKzgProofBatch: notHere,
};
