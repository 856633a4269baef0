import { BLOB_SIZE, POINT_SIZE } from "../../chain/block/sidecar.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { readArray, readObject, WireReader } from "../../chain/encoding/wire.ts";
import { ChainError } from "../../chain/error.ts";
import { versionedHash } from "../../chain/hashing/versionedHash.ts";
import type { QueryContext } from "../context.ts";
import type { PageInfo, PageRequest } from "../pages.ts";
import { pageOfTransaction } from "../pages.ts";
import { findTransaction } from "./transaction.ts";

interface Blob {
  readonly data: Bytes;
  readonly commitment: Bytes;
  /** Null with cell proofs. */
  readonly proof: Bytes | null;
}

/** Data is set if archived or available from the node. */
export interface NamedBlob {
  readonly versionedHash: Bytes;
  readonly blob: Blob | undefined;
}

interface BlobPage {
  readonly blobs: readonly NamedBlob[];
  readonly info: PageInfo;
}

/** In transaction order. */
export async function listTransactionBlobs(
  context: QueryContext,
  hash: Bytes,
  request: PageRequest,
): Promise<BlobPage | undefined> {
  const found = await findTransaction(context, hash);
  if (found === undefined) return undefined;
  const names = found.transaction.blobVersionedHashes ?? [];
  const { info, window } = pageOfTransaction(names.length, found.range, request);
  const { from, to } = window;
  const blobs = to > from ? await readBlobs(context, hash, names) : undefined;
  return { blobs: names.slice(from, to).map((name, at) => ({ versionedHash: name, blob: blobs?.[from + at] })), info };
}

export const MAX_NAMING = 100;

export interface FoundBlob extends NamedBlob {
  /** Newest first. */
  readonly transactionHashes: readonly Bytes[];
}

/** Data may be pruned by the node. */
export async function findBlob(context: QueryContext, name: Bytes): Promise<FoundBlob | undefined> {
  const { naming, newest } = await context.store.read(async ({ transactions }) => {
    const naming = await transactions.namingBlob(name, MAX_NAMING);
    return { naming, newest: naming[0] && (await transactions.full(naming[0])) };
  });
  if (newest === undefined) return undefined;
  const names = newest.transaction.blobVersionedHashes ?? [];
  const blobs = await readBlobs(context, newest.transaction.hash, names);
  const index = names.findIndex((other) => equalBytes(other, name));
  const transactionHashes = naming.map(({ transaction }) => transaction.hash);
  return { versionedHash: name, blob: blobs?.[index], transactionHashes };
}

async function readBlobs(
  context: QueryContext,
  hash: Bytes,
  names: readonly Bytes[],
): Promise<readonly (Blob | undefined)[] | undefined> {
  const kept = (await context.blobs?.read(names)) ?? [];
  return names.length > 0 && names.every((_, at) => kept[at] !== undefined) ? kept : askNode(context, hash, names);
}

/** Undefined if the node has none. Rejects blobs that the transaction does not name. */
async function askNode(
  { node }: QueryContext,
  hash: Bytes,
  names: readonly Bytes[],
): Promise<readonly Blob[] | undefined> {
  try {
    const record = await node?.readThrough.sidecar(hash);
    const blobs = record === null || record === undefined ? [] : decodeBlobs(record);
    const isNamed = names.every((name, at) => isBlobOf(blobs[at], name));
    return blobs.length === names.length && isNamed ? blobs : undefined;
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

function isBlobOf(blob: Blob | undefined, name: Bytes): boolean {
  return blob !== undefined && equalBytes(versionedHash(blob.commitment), name);
}

function decodeBlobs(record: unknown): Blob[] {
  const wire = readObject(readObject(record, "sidecar").blobSidecar, "blobSidecar");
  const [commitments, proofs] = [readArray(wire.commitments, "commitments"), readArray(wire.proofs, "proofs")];
  const reader = new WireReader();
  return readArray(wire.blobs, "blobs").map((blob, at) => ({
    data: reader.bytes(blob, "blob", BLOB_SIZE),
    commitment: reader.bytes(commitments[at], "commitment", POINT_SIZE),
    proof: reader.bytes(proofs[at], "proof", POINT_SIZE),
  }));
}
