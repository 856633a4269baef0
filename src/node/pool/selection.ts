import { EMPTY } from "../../chain/encoding/bytes.ts";
import { uintToBigInt, uintToNumber } from "../../chain/encoding/uint.ts";
import { defined, itemAt } from "../../std/values.ts";
import type { Candidates, Room } from "../block/assemble.ts";
import { encodedBytes } from "../block/assemble.ts";
import { effectiveGasPrice } from "../block/outcome.ts";
import type { SubmittedTransaction } from "./decodeRawTransaction.ts";
import type { PooledTransaction } from "./pooledTransactions.ts";

/** Prices of a block. */
interface Prices {
  readonly baseFeePerGas: bigint;
  readonly blobGasPrice: bigint;
}

interface Line {
  readonly rest: PooledTransaction[];
  tip: bigint;
}

/** Candidates by nonce per sender, then highest tip, then arrival. */
export class Selection implements Candidates {
  readonly #prices: Prices;
  readonly #onRefused: (tx: SubmittedTransaction, reason: Error) => void;
  /** Best last. */
  readonly #lines: Line[] = [];
  #current: Line | undefined;

  constructor(
    senders: readonly PooledTransaction[][],
    prices: Prices,
    onRefused: (tx: SubmittedTransaction, reason: Error) => void,
  ) {
    this.#prices = prices;
    this.#onRefused = onRefused;
    for (const transactions of senders) this.#queue(transactions);
  }

  next(room: Room): SubmittedTransaction | undefined {
    if (this.#current !== undefined) this.#queue(this.#current.rest);
    for (;;) {
      const line = this.#lines.pop();
      this.#current = line;
      if (line === undefined) return undefined;
      const tx = defined(line.rest.shift());
      if (fits(tx, room)) return tx;
      this.#current = undefined;
    }
  }

  /** Later nonces of the sender cannot run either. */
  refused(tx: SubmittedTransaction, reason: Error): void {
    this.#current = undefined;
    this.#onRefused(tx, reason);
  }

  #queue(rest: PooledTransaction[]): void {
    const [first] = rest;
    if (first === undefined || !isAffordable(first, this.#prices)) return;
    const tip = effectiveGasPrice(first.transaction, this.#prices.baseFeePerGas) - this.#prices.baseFeePerGas;
    const line = { rest, tip };
    let [from, to] = [0, this.#lines.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (isBefore(itemAt(this.#lines, middle), line)) to = middle;
      else from = middle + 1;
    }
    this.#lines.splice(from, 0, line);
  }
}

function isBefore(a: Line, b: Line): boolean {
  return a.tip === b.tip ? itemAt(a.rest, 0).arrival < itemAt(b.rest, 0).arrival : a.tip > b.tip;
}

function fits(tx: SubmittedTransaction, room: Room): boolean {
  const { gas, blobVersionedHashes = [] } = tx.transaction;
  return uintToNumber(gas) <= room.gas && blobVersionedHashes.length <= room.blobs && encodedBytes(tx) <= room.bytes;
}

function isAffordable({ transaction }: SubmittedTransaction, { baseFeePerGas, blobGasPrice }: Prices): boolean {
  const max = uintToBigInt(transaction.maxFeePerGas ?? transaction.gasPrice ?? EMPTY);
  if (max < baseFeePerGas) return false;
  return transaction.maxFeePerBlobGas === undefined || uintToBigInt(transaction.maxFeePerBlobGas) >= blobGasPrice;
}
