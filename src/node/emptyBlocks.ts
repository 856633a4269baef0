import { RLP } from "@ethereumjs/rlp";
import type { Header } from "../chain/block/header.ts";
import { writeHeader } from "../chain/block/header.ts";
import type { Bytes, Hash } from "../chain/encoding/bytes.ts";
import { RlpWriter } from "../chain/encoding/rlp.ts";
import { uintFromBigInt, uintToBigInt } from "../chain/encoding/uint.ts";
import type { Draft } from "../chain/encoding/wire.ts";
import { keccak256 } from "../chain/hashing/keccak.ts";
import { itemAt } from "../std/defined.ts";
import { dropOldest } from "../std/dropOldest.ts";
import type { StoredBlock } from "./block/stored.ts";
import { decodeHeaderRlp } from "./block/stored.ts";
import { timeAfter } from "./clock.ts";

/**
 * Blocks without transactions that follow each other and are not stored: each follows from the one before it. They have
 * one state, that of the block before the first.
 */
export interface EmptyRun {
  readonly first: number;
  readonly last: number;
  /** The header of the block before the first, which is empty too. */
  readonly parent: Bytes;
  /** Between two of them. */
  readonly seconds: number;
  readonly stateRoot: Bytes;
}

/** Blocks of a run at most: to read one of them is to compute all before it. */
export const MAX_RUN = 512;

/** An empty body: transactions, senders, receipts, gas used, uncles and withdrawals. */
const NO_BODY = RLP.encode([[], [], [], [], [], []]);

/** Whether a block may be followed by a run: it is empty, and nothing of it but the base fee changes what follows. */
export function mayPrecedeRun(header: Header): boolean {
  const { gasUsed, excessBlobGas, withdrawals, baseFeePerGas } = header;
  const settled = excessBlobGas !== undefined && uintToBigInt(excessBlobGas) === 0n && header.blobGasUsed === 0;
  return gasUsed === 0 && settled && withdrawals?.length === 0 && baseFeePerGas !== undefined;
}

export interface EmptyHeader {
  readonly number: number;
  readonly parentHash: Hash;
  readonly timestamp: number;
  readonly rlp: Bytes;
  readonly hash: Hash;
}

/** The headers that follow one, for as long as somebody takes them. */
export function* followingHeaders(parent: Bytes, seconds: number, stateRoot: Bytes): Generator<EmptyHeader, never> {
  const header: Draft<Header> = { ...decodeHeaderRlp(parent), stateRoot };
  const writer = new RlpWriter();
  for (;;) {
    const parentHash = header.hash;
    header.parentHash = parentHash;
    header.mixHash = keccak256(parentHash);
    header.number++;
    header.timestamp = timeAfter(header.timestamp, seconds);
    header.baseFeePerGas = feeAfter(header.baseFeePerGas ?? NO_BODY);
    writer.reset();
    writeHeader(header, writer);
    const rlp = writer.written.slice();
    header.hash = keccak256(rlp);
    yield { number: header.number, parentHash, timestamp: header.timestamp, rlp, hash: header.hash };
  }
}

/** The base fee after an empty block is an eighth less (EIP-1559). */
function feeAfter(baseFee: Bytes): Bytes {
  const fee = uintToBigInt(baseFee);
  return fee < 8n ? baseFee : uintFromBigInt(fee - fee / 8n);
}

/** Runs that were read last, each in about 400 kB. */
const MAX_RUNS = 8;
/** Blocks that are found by their hash, once they were read. */
const MAX_HASHES = 1 << 16;

/** Reads blocks of runs. */
export class EmptyBlocks {
  readonly #runOf: (number: number) => EmptyRun | undefined;
  readonly #headers = new Map<number, EmptyHeader[]>();
  readonly #numbers = new Map<string, number>();

  constructor(runOf: (number: number) => EmptyRun | undefined) {
    this.#runOf = runOf;
  }

  block(number: number): StoredBlock | undefined {
    const run = this.#runOf(number);
    return run && { header: this.#header(run, number).rlp, body: NO_BODY, stateRoot: run.stateRoot };
  }

  hashOf(number: number): Hash | undefined {
    const run = this.#runOf(number);
    return run && this.#header(run, number).hash;
  }

  /** Only of a block that was read of late. */
  numberOf(hash: Hash): number | undefined {
    return this.#numbers.get(Buffer.from(hash).toString("hex"));
  }

  /** The chain has changed. */
  forget(): void {
    this.#headers.clear();
    this.#numbers.clear();
  }

  #header(run: EmptyRun, number: number): EmptyHeader {
    let headers = this.#headers.get(run.first);
    if (headers === undefined) {
      headers = followingHeaders(run.parent, run.seconds, run.stateRoot)
        .take(run.last - run.first + 1)
        .toArray();
      this.#headers.set(run.first, headers);
      dropOldest(this.#headers, MAX_RUNS);
      for (const each of headers) this.#numbers.set(Buffer.from(each.hash).toString("hex"), each.number);
      dropOldest(this.#numbers, MAX_HASHES);
    }
    return itemAt(headers, number - run.first);
  }
}
