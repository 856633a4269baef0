import type { Sidecar } from "../../chain/block/sidecar.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { type Hex, quantity, toHex } from "../../chain/encoding/hex.ts";

interface SidecarLocation {
  readonly blockHash: Bytes;
  readonly blockNumber: number;
  readonly txHash: Bytes;
  readonly txIndex: number;
}

/** Result of `eth_getBlobSidecarByTxHash`, and item of `eth_getBlobSidecars`, in bsc's key order. */
export interface SidecarRecord {
  readonly blobSidecar: {
    readonly blobs: readonly Hex[];
    readonly commitments: readonly Hex[];
    readonly proofs: readonly Hex[];
  };
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
  readonly txHash: Hex;
  readonly txIndex: Hex;
}

export const SHOWN_SIZE = 32;

export function presentSidecar(sidecar: Sidecar, place: SidecarLocation, isFull = true): SidecarRecord {
  const { blobs, commitments, proofs } = sidecar;
  return {
    blobSidecar: {
      blobs: blobs.map((blob) => toHex(isFull ? blob : blob.subarray(0, SHOWN_SIZE))),
      commitments: commitments.map(toHex),
      proofs: proofs.map(toHex),
    },
    blockHash: toHex(place.blockHash),
    blockNumber: quantity(place.blockNumber),
    txHash: toHex(place.txHash),
    txIndex: quantity(place.txIndex),
  };
}
