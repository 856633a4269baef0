import { uintFromBigInt, uintToBigInt } from "../../chain/encoding/uint.ts";
import type { ExactSum } from "../../std/numbers.ts";
import { addSums } from "../../std/numbers.ts";
import type { Codec } from "./codec.ts";
import { ByteReader, ByteWriter } from "./encoding.ts";

export interface Account {
  readonly sent: number;
  readonly gasUsed: ExactSum;
  readonly fees: bigint;
}

export const NO_ACCOUNT: Account = { sent: 0, gasUsed: 0, fees: 0n };

const scratch = new ByteWriter(64);

export const accountCodec: Codec<Account> = {
  read(bytes) {
    const reader = new ByteReader(bytes);
    return { sent: reader.varint(), gasUsed: reader.sum(), fees: uintToBigInt(reader.string()) };
  },
  write({ sent, gasUsed, fees }) {
    scratch.reset();
    scratch.varint(sent);
    scratch.sum(gasUsed);
    scratch.string(uintFromBigInt(fees));
    return scratch.copy();
  },
};

export const addAccounts = (one: Account, other: Account): Account => ({
  sent: one.sent + other.sent,
  gasUsed: addSums(one.gasUsed, other.gasUsed),
  fees: one.fees + other.fees,
});
