import { BLOB_SIZE, POINT_SIZE, type Sidecar } from "../../chain/block/sidecar.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { type RlpItem, readElement, readValue, refuse } from "./rlpItem.ts";

/** Without a sidecar if it came in block form. */
interface SentBlobTransaction {
  readonly transaction: Bytes;
  readonly sidecar?: Sidecar;
}

interface Kind {
  readonly name: string;
  readonly size: number;
}

const BLOB_TRANSACTION = 3;

const BLOB: Kind = { name: "kzg4844.Blob", size: BLOB_SIZE };
const COMMITMENT: Kind = { name: "kzg4844.Commitment", size: POINT_SIZE };
const PROOF: Kind = { name: "kzg4844.Proof", size: POINT_SIZE };

/** Decodes `0x03 || rlp`. Results are views of `raw`, except a transaction taken out of a wrapper. */
export function decodeBlobTransaction(raw: Bytes, acceptsCellProofs: boolean): SentBlobTransaction {
  if (raw.length <= 1) throw refuse("typed transaction too short");
  if (raw[0] !== BLOB_TRANSACTION) throw refuse("transaction type not supported");
  const outer = readValue(raw, 1, raw.length);
  if (!outer.isList) throw refuse("rlp: expected List");
  const first = readValue(raw, outer.from, outer.to);
  const sent = first.isList ? unwrap(raw, first, outer.to, acceptsCellProofs) : { transaction: raw };
  if (outer.to !== raw.length) throw refuse("rlp: input contains more than one value");
  return sent;
}

function unwrap(raw: Bytes, first: RlpItem, end: number, acceptsCellProofs: boolean): SentBlobTransaction {
  const sidecar = readSidecar(raw, first.to, end, acceptsCellProofs);
  const transaction = new Uint8Array(1 + first.to - first.start);
  transaction[0] = BLOB_TRANSACTION;
  transaction.set(raw.subarray(first.start, first.to), 1);
  return { transaction, sidecar };
}

function readSidecar(raw: Bytes, at: number, end: number, acceptsCellProofs: boolean): Sidecar {
  const hasVersion = acceptsCellProofs && at < end && raw[at]! < 0xc0;
  const struct = hasVersion ? "types.blobTxWithBlobsV1" : "types.blobTxWithBlobs";
  let next = at;
  const take = (): RlpItem => {
    if (next === end) throw refuse(`rlp: too few elements for ${struct}`);
    const item = readElement(raw, next, end);
    next = item.to;
    return item;
  };
  const version = hasVersion ? readVersion(raw, take()) : 0;
  const blobs = readArrays(raw, take(), BLOB);
  const commitments = readArrays(raw, take(), COMMITMENT);
  const proofs = readArrays(raw, take(), PROOF);
  if (next !== end) throw refuse(`rlp: input list has too many elements for ${struct}`);
  if (version !== (hasVersion ? 1 : 0)) throw refuse(`unsupported blob tx version ${version}`);
  return { version: hasVersion ? 1 : 0, blobs, commitments, proofs };
}

function readVersion(raw: Bytes, item: RlpItem): number {
  const size = item.to - item.from;
  if (size > 1) throw refuse("rlp: input string too long for uint8");
  if (size === 0) return 0;
  const version = raw[item.from]!;
  const isFramed = item.from > item.start;
  if (isFramed && version < 0x80) throw refuse("rlp: non-canonical size information for uint8");
  if (version === 0) throw refuse("rlp: non-canonical integer (leading zero bytes) for uint8");
  return version;
}

function readArrays(raw: Bytes, list: RlpItem, kind: Kind): Bytes[] {
  if (!list.isList) throw refuse(`rlp: expected input list for []${kind.name}`);
  const arrays: Bytes[] = [];
  for (let at = list.from; at < list.to; ) {
    const item = readElement(raw, at, list.to);
    if (item.isList) throw refuse(`rlp: expected input string or byte for ${kind.name}`);
    const size = item.to - item.from;
    if (size < kind.size) throw refuse(`rlp: input string too short for ${kind.name}`);
    if (size > kind.size) throw refuse(`rlp: input string too long for ${kind.name}`);
    arrays.push(raw.subarray(item.from, item.to));
    at = item.to;
  }
  return arrays;
}
