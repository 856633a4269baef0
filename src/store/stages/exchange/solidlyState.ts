import type { ByteReader, ByteWriter } from "../../rows/encoding.ts";
import { writeSigned } from "../../rows/signedAmount.ts";
import { readAmount } from "./amounts.ts";

/** Further state of a pool of Solidly, whose factory may change its fee without a log. */
export interface SolidlyState {
  /** Of the last swap, in hundredths of a basis point. */
  fee: number;
  /** Swap volume times the fee of each swap. */
  charged0: bigint;
  charged1: bigint;
}

export const noSolidly = (): SolidlyState => ({ fee: 0, charged0: 0n, charged1: 0n });

export function writeSolidly({ fee, charged0, charged1 }: SolidlyState, writer: ByteWriter): void {
  writer.varint(fee);
  for (const amount of [charged0, charged1]) writer.raw(writeSigned(amount));
}

export function readSolidly(reader: ByteReader): SolidlyState {
  return { fee: reader.varint(), charged0: readAmount(reader), charged1: readAmount(reader) };
}
