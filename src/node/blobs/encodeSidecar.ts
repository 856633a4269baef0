import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { BLOB_SIZE, POINT_SIZE, type Sidecar } from "../../chain/block/sidecar.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import { SHOWN_SIZE } from "./presentSidecar.ts";

/**
 * Stored in two columns: compressed blobs, and a head with everything else including the prefix that truncated
 * responses show.
 */
export interface StoredSidecar {
  readonly head: Bytes;
  readonly body: Bytes;
}

/** Version, then the numbers of blobs, commitments and proofs. */
const COUNTS_SIZE = 7;

const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export function encodeSidecar(sidecar: Sidecar): StoredSidecar {
  const { version, blobs, commitments, proofs } = sidecar;
  const counts = Buffer.alloc(COUNTS_SIZE);
  counts.writeUInt8(version);
  for (const [i, list] of [blobs, commitments, proofs].entries()) counts.writeUInt16LE(list.length, 1 + 2 * i);
  const shown = blobs.map((blob) => blob.subarray(0, SHOWN_SIZE));
  return {
    head: Buffer.concat([counts, ...shown, ...commitments, ...proofs]),
    body: zstdCompressSync(Buffer.concat(blobs), COMPRESSION),
  };
}

export function decodeSidecar({ head, body }: StoredSidecar): Sidecar {
  const shown = decodeSidecarHead(head);
  const size = shown.blobs.length * BLOB_SIZE;
  return { ...shown, blobs: split(decompress(body, size), BLOB_SIZE) };
}

export function decodeSidecarHead(head: Bytes): Sidecar {
  if (head.length < COUNTS_SIZE) throw corrupt();
  const counts = Buffer.from(head.buffer, head.byteOffset, COUNTS_SIZE);
  const version = counts.readUInt8();
  const commitmentsAt = COUNTS_SIZE + counts.readUInt16LE(1) * SHOWN_SIZE;
  const proofsAt = commitmentsAt + counts.readUInt16LE(3) * POINT_SIZE;
  const end = proofsAt + counts.readUInt16LE(5) * POINT_SIZE;
  if (version > 1 || end !== head.length) throw corrupt();
  return {
    version: version === 1 ? 1 : 0,
    blobs: split(head.subarray(COUNTS_SIZE, commitmentsAt), SHOWN_SIZE),
    commitments: split(head.subarray(commitmentsAt, proofsAt), POINT_SIZE),
    proofs: split(head.subarray(proofsAt), POINT_SIZE),
  };
}

function decompress(body: Bytes, size: number): Bytes {
  let blobs: Bytes;
  try {
    blobs = zstdDecompressSync(body, { maxOutputLength: Math.max(size, 1) });
  } catch (error) {
    throw corrupt(error);
  }
  if (blobs.length !== size) throw corrupt();
  return blobs;
}

function split(bytes: Bytes, size: number): Bytes[] {
  const parts: Bytes[] = [];
  for (let at = 0; at < bytes.length; at += size) parts.push(bytes.subarray(at, at + size));
  return parts;
}

function corrupt(cause?: unknown): ChainError {
  return new ChainError("store_corrupt", "a stored blob sidecar is damaged", { cause });
}
