import type { Sidecar } from "../../chain/block/sidecar.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { type Hex, quantity, toHex } from "../../chain/encoding/hex.ts";

/** Where the transaction of a sidecar stands. */
export interface SidecarPlace {
  readonly blockHash: Bytes;
  readonly blockNumber: number;
  readonly txHash: Bytes;
  readonly txIndex: number;
}

/** What `eth_getBlobSidecarByTxHash` answers, and `eth_getBlobSidecars` a list of; the keys in the order of bsc. */
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

/** How much of a blob is shown to who does not ask for all of it. */
export const SHOWN_SIZE = 32;

export function presentSidecar(sidecar: Sidecar, place: SidecarPlace, isFull = true): SidecarRecord {
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
