import type { Bytes } from "../chain/bytes.ts";
import { uintFromBigInt, uintToBigInt } from "../chain/uint.ts";
import { ByteReader, ByteWriter } from "./encoding.ts";

/** What an address has done as a sender. */
export interface Account {
  readonly sent: number;
  readonly gasUsed: number;
  /** In wei. */
  readonly fees: bigint;
}

export const NO_ACCOUNT: Account = { sent: 0, gasUsed: 0, fees: 0n };

const scratch = new ByteWriter(64);

export function writeAccount(account: Account): Bytes {
  scratch.reset();
  scratch.varint(account.sent);
  scratch.varint(account.gasUsed);
  scratch.string(uintFromBigInt(account.fees));
  return scratch.copy();
}

export function readAccount(value: Bytes | undefined): Account {
  if (value === undefined) return NO_ACCOUNT;
  const reader = new ByteReader(value);
  return { sent: reader.varint(), gasUsed: reader.varint(), fees: uintToBigInt(reader.string()) };
}
