import { feeOf } from "../../chain/block/fees.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { normalise } from "../../std/numbers.ts";
import type { Reader } from "../engine/database.ts";
import { keysetPages } from "../engine/keysetPages.ts";
import type { TransactionFacts } from "../read/facts.ts";
import { accountCodec } from "../rows/account.ts";
import type { AuditReport } from "./auditReport.ts";
import type { IdRange } from "./idRange.ts";
import { has, rowBounds } from "./idRange.ts";

const BATCH_SIZE = 10_000;
const WORD = 2n ** 64n - 1n;

/** 40 bytes per sender id. */
export class AccountSums {
  readonly #range: IdRange;
  readonly #sent: Float64Array;
  readonly #gas: BigUint64Array;
  readonly #fees: BigUint64Array;

  constructor(range: IdRange) {
    this.#range = range;
    const size = range.to - range.from;
    this.#sent = new Float64Array(size);
    this.#gas = new BigUint64Array(2 * size);
    this.#fees = new BigUint64Array(2 * size);
  }

  add({ sender, transaction, receipt }: TransactionFacts): void {
    if (!has(this.#range, sender)) return;
    const at = sender - this.#range.from;
    this.#sent[at]!++;
    addTo(this.#gas, at, BigInt(receipt.gasUsed));
    addTo(this.#fees, at, feeOf(transaction, receipt));
  }

  async compare(db: Reader, report: AuditReport): Promise<number> {
    const sql =
      "SELECT owner, sent FROM address_tx_tail WHERE length(sent) > 0 AND owner >= ? AND owner <= ? ORDER BY owner LIMIT ?";
    const [min, max] = rowBounds(this.#range);
    const pages = keysetPages<[number, Bytes]>(BATCH_SIZE, (last, count) =>
      db.all(sql, last === undefined ? min : last[0] + 1, max, count),
    );
    for await (const rows of pages)
      for (const [id, value] of rows)
        report.expect(equalBytes(this.#row(id), value), `the counters of sender ${id} are wrong`);
    return this.#sent.reduce((senders, sent) => senders + Number(sent > 0), 0);
  }

  #row(id: number): Bytes {
    const at = has(this.#range, id) ? id - this.#range.from : -1;
    const sent = this.#sent[at] ?? 0;
    return accountCodec.write({ sent, gasUsed: normalise(sumAt(this.#gas, at)), fees: sumAt(this.#fees, at) });
  }
}

function addTo(words: BigUint64Array, at: number, amount: bigint): void {
  const low = words[2 * at]! + (amount & WORD);
  words[2 * at] = low;
  words[2 * at + 1]! += (amount >> 64n) + (low >> 64n);
}

function sumAt(words: BigUint64Array, at: number): bigint {
  return at < 0 ? 0n : (words[2 * at + 1]! << 64n) | words[2 * at]!;
}
