import { RLP } from "@ethereumjs/rlp";
import type { Header } from "../chain/block/header.ts";
import { writeHeader } from "../chain/block/header.ts";
import type { Bytes, Hash } from "../chain/encoding/bytes.ts";
import { RlpWriter } from "../chain/encoding/rlp.ts";
import { uintFromBigInt, uintToBigInt } from "../chain/encoding/uint.ts";
import type { Draft } from "../chain/encoding/wire.ts";
import { keccak256 } from "../chain/hashing/keccak.ts";
import { dropOldest } from "../std/maps.ts";
import { itemAt } from "../std/values.ts";
import type { StoredBlock } from "./block/stored.ts";
import { decodeHeaderRlp } from "./block/stored.ts";
import { timeAfter } from "./clock.ts";

/** Consecutive empty blocks that are not stored: each derives from its parent. All share the state before the first. */
export interface EmptyRun {
  readonly first: number;
  readonly last: number;
  readonly parent: Bytes;
  readonly seconds: number;
  readonly stateRoot: Bytes;
}

/** Reading a block computes all before it in the run. */
export const MAX_RUN = 512;

/** Transactions, senders, receipts, gas used, uncles and withdrawals. */
const NO_BODY = RLP.encode([[], [], [], [], [], []]);

/** Whether the next header depends only on this header's base fee. */
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

/** 1/8 less after an empty block (EIP-1559). */
function feeAfter(baseFee: Bytes): Bytes {
  const fee = uintToBigInt(baseFee);
  return fee < 8n ? baseFee : uintFromBigInt(fee - fee / 8n);
}

/** Cached runs of about 400 kB. */
const MAX_RUNS = 8;
const MAX_HASHES = 1 << 16;

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

  /** Only for blocks read recently. */
  numberOf(hash: Hash): number | undefined {
    return this.#numbers.get(Buffer.from(hash).toString("hex"));
  }

  /** Call when the chain changes. */
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
