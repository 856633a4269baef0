import type { Receipt } from "../../chain/block/receipt.ts";
import type { Transaction } from "../../chain/block/transaction.ts";
import type { ExactSum } from "../../std/numbers.ts";
import { addExactly, normalise } from "../../std/numbers.ts";
import type { Codec } from "./codec.ts";
import { ByteReader, ByteWriter } from "./encoding.ts";

/** What was sent to an address, plain payments left out: so many of all addresses get nothing else that they would cost a row each. */
export interface CallCounters {
  /** Transactions that others sent and that did not create it. */
  readonly calls: number;
  /** Of these, and of those that it sent to itself. */
  readonly gasUsed: ExactSum;
}

export const NO_CALLS: CallCounters = { calls: 0, gasUsed: 0 };

/** The gas of a transaction that runs no code, and has no data. */
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

/** Whether a transaction to another address is no more than a payment: as many as there are of these, so often they used 21,000 gas. */
export const isPlain = ({ input }: Sent, { gasUsed, contractAddress }: Used): boolean =>
  gasUsed === PLAIN_GAS && input.length === 0 && contractAddress === null;

/** With one more transaction, which is not plain or was sent to oneself; `isOther` where somebody else sent it, and it created another contract or none. */
export const addCall = ({ calls, gasUsed }: CallCounters, gas: number, isOther: boolean): CallCounters => ({
  calls: isOther ? calls + 1 : calls,
  gasUsed: addExactly(gasUsed, gas),
});

export const addCallCounters = (one: CallCounters, other: CallCounters): CallCounters => ({
  calls: one.calls + other.calls,
  gasUsed: normalise(BigInt(one.gasUsed) + BigInt(other.gasUsed)),
});
