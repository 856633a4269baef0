import type { ByteReader, ByteWriter } from "../../rows/encoding.ts";
import { writeSigned } from "../../rows/signedAmount.ts";
import { readAmount } from "./amounts.ts";

/** Further state of a pool without an address: its fee may change, and its manager emits the logs of many pools. */
export interface SingletonState {
  /** Of the last swap, the protocol's share included, in hundredths of a basis point. */
  fee: number;
  /** Swap volume times the fee of each swap. */
  charged0: bigint;
  charged1: bigint;
  /** Swap inputs times the fee of each swap. */
  paid0: bigint;
  paid1: bigint;
  /** Whether a log has said what the protocol takes; a swap says it of its own input. */
  hasShareLog: boolean;
  mints: number;
  burns: number;
  /** Of the block, in order. */
  readonly logs: SingletonLog[];
}

export const SINGLETON_KINDS = ["swap", "mint", "burn"] as const;

export type SingletonKind = (typeof SINGLETON_KINDS)[number];

export interface SingletonLog {
  readonly kind: SingletonKind;
  /** Of its position in the block. */
  readonly slot: number;
  /** Amounts that a liquidity change moved into the pool, which its log does not say; 0 for a swap. */
  readonly amount0: bigint;
  readonly amount1: bigint;
}

export const noSingleton = (): SingletonState => ({
  ...{ fee: 0, hasShareLog: false, charged0: 0n, charged1: 0n, paid0: 0n, paid1: 0n },
  ...{ mints: 0, burns: 0, logs: [] },
});

export function writeSingleton(state: SingletonState, writer: ByteWriter): void {
  const { fee, hasShareLog, charged0, charged1, paid0, paid1, mints, burns, logs } = state;
  for (const count of [2 * fee + (hasShareLog ? 1 : 0), mints, burns, logs.length]) writer.varint(count);
  for (const amount of [charged0, charged1, paid0, paid1]) writer.raw(writeSigned(amount));
  for (const { kind, slot, amount0, amount1 } of logs) {
    writer.byte(SINGLETON_KINDS.indexOf(kind));
    writer.varint(slot);
    if (kind !== "swap") for (const amount of [amount0, amount1]) writer.raw(writeSigned(amount));
  }
}

export function readSingleton(reader: ByteReader): SingletonState {
  const [first, mints, burns, count] = [reader.varint(), reader.varint(), reader.varint(), reader.varint()];
  const [charged0, charged1] = [readAmount(reader), readAmount(reader)];
  const [paid0, paid1] = [readAmount(reader), readAmount(reader)];
  const logs: SingletonLog[] = [];
  while (logs.length < count) {
    const [kind = "swap", slot] = [SINGLETON_KINDS[reader.byte()], reader.varint()];
    const [amount0, amount1] = kind === "swap" ? [0n, 0n] : [readAmount(reader), readAmount(reader)];
    logs.push({ kind, slot, amount0, amount1 });
  }
  const [fee, hasShareLog] = [first >> 1, first % 2 === 1];
  return { fee, hasShareLog, charged0, charged1, paid0, paid1, mints, burns, logs };
}
