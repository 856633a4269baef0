import type { Block } from "../chain/block/block.ts";
import type { ShownSidecar } from "../chain/block/sidecar.ts";
import { BLOB_SIZE, decodeShownSidecar } from "../chain/block/sidecar.ts";
import type { Bytes, Hash } from "../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../chain/encoding/hex.ts";
import type { Wire } from "../chain/encoding/wire.ts";
import { WireReader } from "../chain/encoding/wire.ts";
import { asChainError } from "../chain/error.ts";
import { versionedHash } from "../chain/hashing/versionedHash.ts";
import type { BlobProver } from "../node/blobs/proveBlob.ts";
import type { Beacon, BeaconBlob } from "../source/beacon.ts";
import { isObject } from "../std/values.ts";

/** Blob transactions of an indexed block. */
export interface BlobBlock {
  readonly hash: Hash;
  readonly timestamp: number;
  readonly transactions: readonly { readonly hash: Hash; readonly names: readonly Bytes[] }[];
}

/** A possible source of blobs. Returns sidecars as JSON by transaction hash. */
type SidecarSource = (block: BlobBlock) => Promise<ReadonlyMap<string, Wire> | undefined>;

interface BlobFetcherOptions {
  readonly sources: readonly SidecarSource[];
  hasAll(names: readonly Bytes[]): Promise<boolean>;
  keep(block: Pick<Block, "sidecars">): Promise<void>;
  readonly onError?: (reason: string) => void;
}

/** When the queue is full, the oldest blocks are dropped. */
export const MAX_WAITING = 4096;

/** Retry delay in milliseconds and number of retries. */
export const ASKED_AGAIN = { after: 15_000, times: 3 };

/** Fetches blobs of newly indexed blocks in the background; nodes retain them for days. */
export class BlobFetcher {
  readonly #options: BlobFetcherOptions;
  readonly #waiting: { readonly block: BlobBlock; readonly attempt: number }[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: BlobFetcherOptions) {
    this.#options = options;
  }

  note({ header, transactions }: Block): void {
    const named = transactions.flatMap(({ hash, blobVersionedHashes: names }) => (names ? [{ hash, names }] : []));
    if (named.length > 0) this.#add({ hash: header.hash, timestamp: header.timestamp, transactions: named }, 0);
  }

  async idle(): Promise<void> {
    await this.#running;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.length = 0;
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#running;
  }

  #add(block: BlobBlock, attempt: number): void {
    if (this.#isClosed) return;
    this.#waiting.push({ block, attempt });
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async #run(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const { block, attempt } = next;
      if (!(await this.fetch(block)) && attempt < ASKED_AGAIN.times) this.#askAgain(block, attempt + 1);
    }
  }

  #askAgain(block: BlobBlock, attempt: number): void {
    if (this.#isClosed) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#add(block, attempt);
    }, ASKED_AGAIN.after * attempt);
    this.#timers.add(timer.unref());
  }

  /** Fetches missing blobs of a block. Returns whether all are stored. */
  async fetch(block: BlobBlock): Promise<boolean> {
    const { sources, hasAll, keep, onError } = this.#options;
    const names = block.transactions.flatMap((tx) => tx.names);
    try {
      if (await hasAll(names)) return true;
      for (const source of sources) {
        const found = await source(block).catch((error: unknown) => {
          onError?.(asChainError(error).message);
          return undefined;
        });
        if (found !== undefined) await keep({ sidecars: shownSidecars(block, found) });
        if (await hasAll(names)) return true;
      }
    } catch (error) {
      onError?.(asChainError(error).message);
    }
    return false;
  }
}

/** Sidecars that contain all blobs named by the transactions. */
function shownSidecars({ transactions }: BlobBlock, found: ReadonlyMap<string, Wire>): ShownSidecar[] {
  const reader = new WireReader();
  return transactions.flatMap(({ hash, names }) => {
    const wire = found.get(toHex(hash));
    return (wire && decodeShownSidecar(wire, names, reader)) ?? [];
  });
}

/** Queries nodes by bsc's method; the first complete answer wins. An empty answer is not trusted. */
export function sidecarsOfNodes(
  ask: (method: string, params: readonly unknown[]) => Promise<readonly string[]>,
): SidecarSource {
  return async ({ hash, transactions }) => {
    for (const text of await ask("eth_getBlobSidecars", [toHex(hash), true])) {
      const records = recordsOf(JSON.parse(text));
      if (transactions.every((tx) => records.has(toHex(tx.hash)))) return records;
    }
    return undefined;
  };
}

/** Builds sidecars from a beacon node's blobs. */
export function sidecarsOfBeacon(beacon: Pick<Beacon, "blobs">, prover: BlobProver): SidecarSource {
  return async ({ timestamp, transactions }) => {
    const found = await beacon.blobs(timestamp);
    const lacks = found.some(({ commitment, proof }) => commitment === undefined || proof === undefined);
    // Proofs are expensive, so blobs that no transaction names are not proven.
    if (lacks && found.length > transactions.reduce((sum, { names }) => sum + names.length, 0)) return undefined;
    const blobs = new Map<string, ProvenBlob>();
    for (const given of found) {
      const proven = await complete(given, prover);
      blobs.set(toHex(versionedHash(fromHex(proven.commitment))), proven);
    }
    const records = new Map<string, Wire>();
    for (const { hash, names } of transactions) {
      const own = names.map((name) => blobs.get(toHex(name))).filter((blob) => blob !== undefined);
      if (own.length !== names.length) return undefined;
      const list = (field: keyof ProvenBlob) => own.map((blob) => blob[field]);
      records.set(toHex(hash), { blobs: list("blob"), commitments: list("commitment"), proofs: list("proof") });
    }
    return records;
  };
}

interface ProvenBlob {
  readonly blob: string;
  readonly commitment: string;
  readonly proof: string;
}

async function complete({ blob, commitment, proof }: BeaconBlob, prover: BlobProver): Promise<ProvenBlob> {
  if (commitment !== undefined && proof !== undefined) {
    return { blob: String(blob), commitment: String(commitment), proof: String(proof) };
  }
  const proven = await prover.prove(new WireReader().bytes(blob, "blob", BLOB_SIZE));
  return { blob: String(blob), commitment: toHex(proven.commitment), proof: toHex(proven.proof) };
}

function recordsOf(answer: unknown): Map<string, Wire> {
  const records = new Map<string, Wire>();
  for (const record of Array.isArray(answer) ? (answer as unknown[]) : []) {
    if (!isObject(record) || typeof record.txHash !== "string" || !isObject(record.blobSidecar)) continue;
    records.set(record.txHash.toLowerCase(), record.blobSidecar);
  }
  return records;
}
