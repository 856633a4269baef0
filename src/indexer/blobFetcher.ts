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
import { isObject } from "../std/isObject.ts";

/** The blob transactions of a block that was indexed. */
export interface BlobBlock {
  readonly hash: Hash;
  readonly timestamp: number;
  readonly transactions: readonly { readonly hash: Hash; readonly names: readonly Bytes[] }[];
}

/** Somebody who may have the blobs of a block. Answers sidecars as JSON, by the hashes of their transactions. */
export type SidecarSource = (block: BlobBlock) => Promise<ReadonlyMap<string, Wire> | undefined>;

export interface BlobFetcherOptions {
  /** Asked in their order until all blobs of a block are there. */
  readonly sources: readonly SidecarSource[];
  /** Whether these blobs are kept already. */
  hasAll(names: readonly Bytes[]): Promise<boolean>;
  /** Verifies and keeps what was found. */
  keep(block: Pick<Block, "sidecars">): Promise<void>;
  readonly onTrouble?: (reason: string) => void;
}

/** Blocks that wait for their blobs; when there are more, the oldest are given up. */
export const MAX_WAITING = 4096;

/** Milliseconds after which blobs that nobody had are asked for again, and how often. */
export const ASKED_AGAIN = { after: 15_000, times: 3 };

/** Fetches the blobs of blocks while they are indexed, and holds up nothing: nodes keep them for days. */
export class BlobFetcher {
  readonly #options: BlobFetcherOptions;
  readonly #waiting: { readonly block: BlobBlock; readonly attempt: number }[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: BlobFetcherOptions) {
    this.#options = options;
  }

  /** Takes note of a block, if it has blobs. */
  note({ header, transactions }: Block): void {
    const named = transactions.flatMap(({ hash, blobVersionedHashes: names }) => (names ? [{ hash, names }] : []));
    if (named.length > 0) this.#add({ hash: header.hash, timestamp: header.timestamp, transactions: named }, 0);
  }

  /** Waits until nothing waits. */
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

  /** Asks for the blobs of a block that are not kept; answers whether all of them are now. */
  async fetch(block: BlobBlock): Promise<boolean> {
    const { sources, hasAll, keep, onTrouble } = this.#options;
    const names = block.transactions.flatMap((tx) => tx.names);
    try {
      if (await hasAll(names)) return true;
      for (const source of sources) {
        const found = await source(block).catch((error: unknown) => {
          onTrouble?.(asChainError(error).message);
          return undefined;
        });
        if (found !== undefined) await keep({ sidecars: shownSidecars(block, found) });
        if (await hasAll(names)) return true;
      }
    } catch (error) {
      onTrouble?.(asChainError(error).message);
    }
    return false;
  }
}

/** What was found for the transactions, where it has the blobs that they name. */
function shownSidecars({ transactions }: BlobBlock, found: ReadonlyMap<string, Wire>): ShownSidecar[] {
  const reader = new WireReader();
  return transactions.flatMap(({ hash, names }) => {
    const wire = found.get(toHex(hash));
    return (wire && decodeShownSidecar(wire, names, reader)) ?? [];
  });
}

/** The sidecars that nodes have, by bsc's method; the first that has them all. One that has none is not believed. */
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

/** The sidecars that are made of the blobs of a block, as a beacon node has them. */
export function sidecarsOfBeacon(beacon: Pick<Beacon, "blobs">, prover: BlobProver): SidecarSource {
  return async ({ timestamp, transactions }) => {
    const found = await beacon.blobs(timestamp);
    const lacks = found.some(({ commitment, proof }) => commitment === undefined || proof === undefined);
    // Proving takes time, so that nobody is to have it spent on what no transaction names.
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
