import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { equalBytes } from "../../../../chain/encoding/bytes.ts";
import { uintToBigInt } from "../../../../chain/encoding/uint.ts";
import type { AuditReport } from "../../../audit/auditReport.ts";
import type { Outline } from "../../../audit/listAudit.ts";
import { extend } from "../../../audit/listAudit.ts";
import type { Reader } from "../../../engine/database.ts";
import { readNumber } from "../../../engine/database.ts";
import { ByteReader } from "../../../rows/encoding.ts";
import type { AddressId } from "../../../rows/ids.ts";
import type { Position } from "../../../rows/position.ts";
import type { Tail } from "../../../tables/listRuns.ts";
import { RUN, tailStart } from "../../../tables/listRuns.ts";
import { readHolding, writeHolding } from "../tables/holdings.ts";
import { addressTransfers } from "../tables/tokenTables.ts";
import type { StoredTransfer } from "../tables/transferBody.ts";
import { readTransfer } from "../tables/transferBody.ts";
import { NO_ITEM, ZERO_ADDRESS_ID } from "../tables/transferIds.ts";
import { storedDepositLedgers } from "./wrapAudit.ts";

/** Balance, and an outline of the transfer list. */
interface Sum {
  amount: bigint;
  readonly transfers: Outline;
}

/** By address, then asset. */
type Sums = Map<number, Map<number, Sum>>;

type Tally = (token: AddressId, address: AddressId, amount: bigint) => void;

/** Transfers per read. */
const BATCH_SIZE = 10_000;

/**
 * Sums balances from transfer lists, a few addresses at a time, and compares the holdings. `tally` receives every
 * expected token holding.
 */
export async function auditHoldings(db: Reader, report: AuditReport, tally: Tally): Promise<void> {
  const audit = new HoldingAudit(db, report, tally);
  await audit.addCarriedDeposits();
  const list = addressTransfers(db);
  for await (const [address, count] of list.counts()) {
    if (address === ZERO_ADDRESS_ID) continue;
    for (let from = 0; from < count; from += BATCH_SIZE) {
      const page = await list.slice(address, from, Math.min(from + BATCH_SIZE, count));
      if (page.length === 0) break;
      for (const { position } of page) await audit.add(address, position);
    }
  }
  await audit.finish();
}

class HoldingAudit {
  readonly #db: Reader;
  readonly #report: AuditReport;
  readonly #tally: Tally;
  #waiting: [address: AddressId, position: Position][] = [];
  readonly #tokens: Sums = new Map();
  readonly #items: Sums = new Map();
  /** Addresses compared so far. */
  #compared = ZERO_ADDRESS_ID - 1;
  #runs = 0;

  constructor(db: Reader, report: AuditReport, tally: Tally) {
    this.#db = db;
    this.#report = report;
    this.#tally = tally;
  }

  /** Starts with deposits carried over before a token's first transfer. */
  async addCarriedDeposits(): Promise<void> {
    for await (const [token, { phase, balances }] of storedDepositLedgers(this.#db)) {
      if (phase !== "carried") continue;
      for (const [address, amount] of balances) sumOf(this.#tokens, address, token).amount += amount;
    }
  }

  /** Addresses ascend. */
  async add(address: AddressId, position: Position): Promise<void> {
    if (this.#waiting.length >= BATCH_SIZE) {
      await this.#sum();
      await this.#compare(address - 1);
    }
    this.#waiting.push([address, position]);
  }

  async finish(): Promise<void> {
    await this.#sum();
    await this.#compare(Number.MAX_SAFE_INTEGER);
    const runs = await readNumber(this.#db, "SELECT count(*) FROM holding_run");
    this.#report.expect(runs === this.#runs, "there are runs of transfers that no holding counts");
  }

  async #sum(): Promise<void> {
    const positions = [...new Set(this.#waiting.map(([, position]) => position))];
    const rows = await this.#db.load<[number, Bytes]>(
      "SELECT position, body FROM transfer WHERE position IN ($keys)",
      positions,
    );
    const transfers = new Map(rows.map(([position, body]) => [position, readTransfer(body)]));
    for (const [address, position] of this.#waiting) {
      const transfer = transfers.get(position);
      if (transfer === undefined) continue;
      const change = changeOf(transfer, address);
      const ofToken = sumOf(this.#tokens, address, transfer.token);
      ofToken.amount += change;
      extend(ofToken.transfers, position);
      if (transfer.item !== NO_ITEM) sumOf(this.#items, address, transfer.item).amount += change;
    }
    this.#waiting = [];
  }

  /** All their transfers must have been added. */
  async #compare(upTo: number): Promise<void> {
    const tokens = takeUpTo(this.#tokens, upTo);
    for (const [address, sums] of tokens) {
      for (const [token, { amount }] of sums) this.#tally(token, address, amount);
    }
    await this.#compareTable("holding", "token", tokens, upTo);
    await this.#compareTable("item_holding", "item", takeUpTo(this.#items, upTo), upTo);
    this.#compared = upTo;
  }

  async #compareTable(table: string, kind: string, sums: Sums, upTo: number): Promise<void> {
    const sql = `SELECT address, asset, value FROM ${table} WHERE (address, asset) > (?, ?) AND address <= ? ORDER BY 1, 2 LIMIT ?`;
    for (let after: [number, number] = [this.#compared, Number.MAX_SAFE_INTEGER]; ; ) {
      const rows = await this.#db.all<[number, number, Bytes]>(sql, ...after, upTo, BATCH_SIZE);
      for (const [address, asset, value] of rows) {
        const sum = sums.get(address)?.get(asset);
        sums.get(address)?.delete(asset);
        const problem = await this.#difference(sum, [address, asset], value);
        this.#report.expect(problem === undefined, `${problem} of ${kind} ${asset} that address ${address} has`);
        after = [address, asset];
      }
      if (rows.length < BATCH_SIZE) break;
    }
    for (const [address, assets] of sums) {
      for (const asset of assets.keys())
        this.#report.expect(false, `there is no row of ${kind} ${asset} that address ${address} has`);
    }
  }

  async #difference(sum: Sum | undefined, pair: [number, number], value: Bytes): Promise<string | undefined> {
    if (sum === undefined) return "no transfer tells";
    const holding = this.#report.try(() => readHolding(value));
    if (holding === undefined) return "the row cannot be read";
    const { amount, transfers } = holding;
    if (amount !== sum.amount) return "the transfers add up to another amount";
    if (transfers.count !== sum.transfers.count) return "the number of transfers is wrong";
    this.#runs += tailStart(transfers.count) / RUN;
    const stored = await this.#outline(pair, transfers);
    const isSame = stored?.count === transfers.count && stored.hash === sum.transfers.hash;
    const isWritten = equalBytes(writeHolding({ amount, transfers }), value);
    return isSame && isWritten ? undefined : "the list of transfers is wrong";
  }

  /** Undefined if runs are missing. */
  async #outline([address, asset]: [number, number], { count, body: tail }: Tail): Promise<Outline | undefined> {
    const sql = "SELECT ordinal, body FROM holding_run WHERE address = ? AND asset = ? ORDER BY ordinal";
    const runs = count < RUN ? [] : await this.#db.all<[number, Bytes]>(sql, address, asset);
    const outline: Outline = { count: 0, hash: 0 };
    return this.#report.try(() => {
      for (const [at, [ordinal, body]] of runs.entries()) {
        extendBy(outline, body);
        if (ordinal !== at * RUN || outline.count !== ordinal + RUN) return undefined;
      }
      extendBy(outline, tail);
      return outline;
    });
  }
}

function takeUpTo(sums: Sums, upTo: number): Sums {
  const taken: Sums = new Map([...sums].filter(([address]) => address <= upTo));
  for (const address of taken.keys()) sums.delete(address);
  return taken;
}

function changeOf({ from, to, amount }: StoredTransfer, address: AddressId): bigint {
  return uintToBigInt(amount) * BigInt(Number(to === address) - Number(from === address));
}

function sumOf(sums: Sums, address: AddressId, asset: number): Sum {
  const assets = sums.get(address) ?? new Map<number, Sum>();
  sums.set(address, assets);
  const sum = assets.get(asset) ?? { amount: 0n, transfers: { count: 0, hash: 0 } };
  assets.set(asset, sum);
  return sum;
}

function extendBy(outline: Outline, body: Bytes): void {
  let position = 0;
  for (const reader = new ByteReader(body); !reader.done; ) {
    position += reader.varint();
    extend(outline, position);
  }
}
