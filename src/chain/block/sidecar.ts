import { itemAt } from "../../std/values.ts";
import type { Bytes } from "../encoding/bytes.ts";
import { equalBytes } from "../encoding/bytes.ts";
import type { Wire, WireReader } from "../encoding/wire.ts";
import { readArray, readObject } from "../encoding/wire.ts";
import { ChainError } from "../error.ts";
import { versionedHash } from "../hashing/versionedHash.ts";

/** Version 0 has one proof per blob, version 1 one per cell. */
export interface Sidecar {
  readonly version: 0 | 1;
  readonly blobs: readonly Bytes[];
  readonly commitments: readonly Bytes[];
  readonly proofs: readonly Bytes[];
}

export const BLOB_SIZE = 131_072;
export const POINT_SIZE = 48;
export const CELLS_PER_BLOB = 128;

/** Fields in which nodes show a sidecar inside its transaction; anvil has all but the last. */
export const SIDECAR_FIELDS = ["blobs", "commitments", "proofs", "cellProofs", "sidecar"] as const;

/** Undefined if the sidecar does not match the transaction's versioned hashes. */
export interface ShownSidecar {
  readonly names: readonly Bytes[];
  readonly sidecar: Sidecar | undefined;
}

export function decodeShownSidecar(wire: Wire, names: readonly Bytes[], reader: WireReader): ShownSidecar | undefined {
  if (SIDECAR_FIELDS.every((field) => wire[field] === undefined || wire[field] === null)) return undefined;
  try {
    const sidecar = decodeSidecar(readObject(wire.sidecar ?? wire, "sidecar"), reader);
    return { names, sidecar: fits(sidecar, names) ? sidecar : undefined };
  } catch (error) {
    if (error instanceof ChainError) return { names, sidecar: undefined };
    throw error;
  }
}

function decodeSidecar(wire: Wire, reader: WireReader): Sidecar {
  const read = (field: string, size: number) =>
    readArray(wire[field], field).map((value) => reader.bytes(value, field, size));
  const version = wire.cellProofs === undefined ? 0 : 1;
  return {
    version,
    blobs: read("blobs", BLOB_SIZE),
    commitments: read("commitments", POINT_SIZE),
    proofs: read(version === 0 ? "proofs" : "cellProofs", POINT_SIZE),
  };
}

function fits({ version, blobs, commitments, proofs }: Sidecar, names: readonly Bytes[]): boolean {
  const proofsOfEach = version === 0 ? 1 : CELLS_PER_BLOB;
  if (blobs.length !== names.length || commitments.length !== names.length) return false;
  if (proofs.length !== names.length * proofsOfEach) return false;
  return names.every((name, at) => equalBytes(versionedHash(itemAt(commitments, at)), name));
}
