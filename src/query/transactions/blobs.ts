import { BLOB_SIZE, POINT_SIZE } from "../../chain/block/sidecar.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { readArray, readObject, WireReader } from "../../chain/encoding/wire.ts";
import { ChainError } from "../../chain/error.ts";
import { versionedHash } from "../../chain/hashing/versionedHash.ts";
import { readIndexedRange } from "../indexedRange.ts";
import type { Context } from "../context.ts";
import type { Shape } from "../../api/openapi/values.ts";
import { presentList } from "../../api/rest/envelope.ts";
import { notFound } from "../../api/rest/errors.ts";
import { placeFixed } from "../pages.ts";
import type { Query } from "../../api/rest/params.ts";
import { parseHash, parsePage } from "../../api/rest/params.ts";
import type { BlobSchema } from "../../api/rest/transactions/blobSchema.ts";
import { expectTransaction } from "./transaction.ts";

/** A blob and what proves it. */
interface Blob {
  readonly data: Bytes;
  readonly commitment: Bytes;
  /** Null where the cells were proven one by one. */
  readonly proof: Bytes | null;
}

/** The blobs of a transaction in its order, with their data where it was kept or the node has it. */
export async function serveTransactionBlobs(context: Context, text: string, query: Query): Promise<object> {
  const { store } = context;
  const hash = parseHash(text);
  const request = parsePage(query);
  const { transaction } = (await expectTransaction(context, hash)).view;
  const names = transaction.blobVersionedHashes ?? [];
  const placed = placeFixed(names.length, await store.read((session) => readIndexedRange(session)), request);
  const { from, to } = placed.window;
  const blobs = to > from ? await readBlobs(context, hash, names) : undefined;
  return presentList(
    names.slice(from, to).map((name, at) => presentBlob(name, blobs?.[from + at])),
    placed,
  );
}

/** Transactions that a blob's record lists. */
export const MOST_NAMING = 100;

/** One blob by its versioned hash, with the indexed transactions that name it; their blobs the node may have dropped. */
export async function serveBlob(context: Context, text: string): Promise<Shape<typeof BlobSchema>> {
  const name = parseHash(text, "blob_hash_param");
  const { store } = context;
  const { naming, newest } = await store.read(async (session) => {
    const naming = await session.transactions.namingBlob(name, MOST_NAMING);
    return { naming, newest: naming[0] && (await session.transactions.whole(naming[0])) };
  });
  if (newest === undefined) throw notFound();
  const names = newest.transaction.blobVersionedHashes!;
  const blobs = await readBlobs(context, newest.transaction.hash, names);
  const place = names.findIndex((other) => equalBytes(other, name));
  return {
    ...presentBlob(name, blobs?.[place]),
    transaction_hashes: naming.map(({ transaction }) => ({
      block_consensus: true,
      transaction_hash: toHex(transaction.hash),
    })),
  };
}

function presentBlob(name: Bytes, blob: Blob | undefined): Shape<typeof BlobSchema> {
  return {
    hash: toHex(name),
    blob_data: blob === undefined ? null : toHex(blob.data),
    kzg_commitment: blob === undefined ? null : toHex(blob.commitment),
    kzg_proof: blob?.proof ? toHex(blob.proof) : null,
  };
}

async function readBlobs(
  context: Context,
  hash: Bytes,
  names: readonly Bytes[],
): Promise<(Blob | undefined)[] | undefined> {
  const kept = (await context.blobs?.read(names)) ?? [];
  return names.length > 0 && names.every((_, at) => kept[at] !== undefined) ? kept : askNode(context, hash, names);
}

/** Undefined where the node does not have them; blobs that the transaction does not name are refused. */
async function askNode({ readThrough }: Context, hash: Bytes, names: readonly Bytes[]): Promise<Blob[] | undefined> {
  try {
    const record = await readThrough?.sidecar(hash);
    const blobs = record === null || record === undefined ? [] : decodeBlobs(record);
    if (blobs.length !== names.length) return undefined;
    const isNamed = blobs.every(({ commitment }, at) => equalBytes(versionedHash(commitment), names[at]!));
    return isNamed ? blobs : undefined;
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
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
