import type { Receipt } from "../../chain/block/receipt.ts";
import type { Transaction } from "../../chain/block/transaction.ts";
import type { ExactSum } from "../../std/numbers.ts";
import { addExactly, addSums } from "../../std/numbers.ts";
import type { Codec } from "./codec.ts";
import { ByteReader, ByteWriter } from "./encoding.ts";

/** Calls received, without plain payments: most addresses receive only those, and would each cost a row. */
export interface CallCounters {
  /** Sent by others, excluding its creation. */
  readonly calls: number;
  /** Including self-sent transactions. */
  readonly gasUsed: ExactSum;
}

export const NO_CALLS: CallCounters = { calls: 0, gasUsed: 0 };

export const PLAIN_GAS = 21_000;

const scratch = new ByteWriter(16);

export const callCountersCodec: Codec<CallCounters> = {
  read(bytes) {
    const reader = new ByteReader(bytes);
    return { calls: reader.varint(), gasUsed: reader.sum() };
  },
  write({ calls, gasUsed }) {
    scratch.reset();
    scratch.varint(calls);
    scratch.sum(gasUsed);
    return scratch.copy();
  },
};

type Sent = Pick<Transaction, "input">;
type Used = Pick<Receipt, "gasUsed" | "contractAddress">;

/** Plain payments are not stored: each used exactly 21,000 gas. */
export const isPlain = ({ input }: Sent, { gasUsed, contractAddress }: Used): boolean =>
  gasUsed === PLAIN_GAS && input.length === 0 && contractAddress === null;

/** `isOther`: sent by another address and not creating this one. */
export const addCall = ({ calls, gasUsed }: CallCounters, gas: number, isOther: boolean): CallCounters => ({
  calls: isOther ? calls + 1 : calls,
  gasUsed: addExactly(gasUsed, gas),
});

export const addCallCounters = (one: CallCounters, other: CallCounters): CallCounters => ({
  calls: one.calls + other.calls,
  gasUsed: addSums(one.gasUsed, other.gasUsed),
});
