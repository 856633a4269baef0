import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { EMPTY, equalBytes } from "../../../../chain/encoding/bytes.ts";
import { toHex } from "../../../../chain/encoding/hex.ts";
import type { TokenTransfer } from "../../../../chain/token/tokenTransfer.ts";
import { itemAt } from "../../../../std/values.ts";
import type { AuditReport } from "../../../audit/auditReport.ts";
import { expectFindable } from "../../../audit/dictionaryAudit.ts";
import { AddressResolver } from "../../../read/addressResolver.ts";
import type { LoggedBlock } from "../../../read/blockLogs.ts";
import { receiptLogsOf } from "../../../read/blockLogs.ts";
import type { CoreReads } from "../../../read/coreReads.ts";
import type { Position } from "../../../rows/position.ts";
import { firstPosition } from "../../../rows/position.ts";
import { nextDigest } from "../../../write/append.ts";
import { itemValue } from "../tables/tokenTables.ts";
import type { TokenTip } from "../tables/tokenTip.ts";
import { NO_TOKEN_TOTALS, writeTokenTotals } from "../tables/tokenTip.ts";
import type { StoredTransfer } from "../tables/transferBody.ts";
import { readTransfer } from "../tables/transferBody.ts";
import { writeTransferCounts } from "../tables/transferCounts.ts";
import { NO_ITEM, ZERO_ADDRESS_ID } from "../tables/transferIds.ts";

/** The indexer's event extractor. */
export type ReadTransfers = (block: LoggedBlock) => readonly TokenTransfer[];

/** A stored transfer and its resolved bytes. */
interface Named {
  readonly stored: StoredTransfer;
  readonly token: Bytes;
  readonly from: Bytes;
  readonly to: Bytes;
  readonly item: Bytes | undefined;
}

export interface LocatedTransfer {
  readonly position: Position;
  readonly transfer: StoredTransfer;
}

/** Facts about a block's tokens from earlier blocks. */
export interface TokenHistory {
  countNew(transfers: readonly StoredTransfer[]): number;
  /** Filters wraps that are no transfers; `ids` has stored tokens. */
  settle(decoded: readonly TokenTransfer[], ids: Map<string, number>): Promise<readonly TokenTransfer[]>;
}

/** Everything the stage derives from a block and its parent. */
export class TokenBlockAudit {
  readonly #session: CoreReads;
  readonly #read: ReadTransfers;
  readonly #report: AuditReport;
  #last: TokenTip | undefined;
  /** Expected row counts for the blocks seen so far. */
  readonly rows = { transfer_count: 0 };

  /** Starts at the first indexed block, or after `last`. */
  constructor(session: CoreReads, read: ReadTransfers, report: AuditReport, last?: TokenTip) {
    this.#session = session;
    this.#read = read;
    this.#report = report;
    this.#last = last;
  }

  get last(): TokenTip | undefined {
    return this.#last;
  }

  /** Without a history, new tokens are not counted and any wraps may be stored. */
  async block(tip: TokenTip, history?: TokenHistory): Promise<LocatedTransfer[]> {
    const { number } = tip;
    const first =
      this.#last === undefined ? (await this.#session.blocks.first())?.header.number : this.#last.number + 1;
    this.#report.expect(number === first, `the transfers of block ${number} do not follow those of the block before`);
    const sql = "SELECT position, body FROM transfer WHERE position >= ? AND position < ? ORDER BY position";
    const rows = await this.#session.db.all<[number, Bytes]>(sql, firstPosition(number), firstPosition(number + 1));
    const inOrder = rows.every(([position], at) => position === firstPosition(number) + at);
    this.#report.expect(inOrder, `a transfer of block ${number} is out of place`);
    const bodies = rows.map(([, body]) => body);
    const transfers = await this.#named(bodies.map(readTransfer));
    await this.#compareCounts(number, transfers);
    await this.#compareWithLogs(number, transfers, history);
    const items = await this.#expectItems(transfers);
    const stored = transfers.map((transfer) => transfer.stored);
    this.#expectTotals(tip, items, stored, history?.countNew(stored));
    const digest = nextDigest(this.#last?.digest, [writeTokenTotals(tip.totals), ...bodies]);
    const isChained = equalBytes(digest, tip.digest);
    this.#report.expect(isChained, `the tokens stage has another digest at block ${number} than its rows`);
    this.#last = tip;
    return rows.map(([position], at) => ({ position, transfer: itemAt(stored, at) }));
  }

  #expectTotals(tip: TokenTip, items: number, transfers: readonly StoredTransfer[], fresh: number | undefined): void {
    const before = this.#last?.totals ?? NO_TOKEN_TOTALS;
    const expected = {
      transfers: before.transfers + transfers.length,
      tokens: fresh === undefined ? tip.totals.tokens : before.tokens + fresh,
      items,
    };
    const areEqual = equalBytes(writeTokenTotals(expected), writeTokenTotals(tip.totals));
    this.#report.expect(areEqual, `the tokens stage has wrong totals at block ${tip.number}`);
  }

  async #named(transfers: readonly StoredTransfer[]): Promise<Named[]> {
    const { db } = this.#session;
    const resolver = new AddressResolver(db);
    const address = (id: number) => (id === ZERO_ADDRESS_ID ? ZERO_ADDRESS : resolver.address(id));
    const ids = new Set(transfers.map(({ item }) => item));
    const items = new Map(await db.load<[number, Bytes]>("SELECT id, value FROM item WHERE id IN ($keys)", [...ids]));
    const named = transfers.map((stored) => {
      const { token, from, to, item } = stored;
      return { stored, token: address(token), from: address(from), to: address(to), item: items.get(item) };
    });
    await resolver.load();
    return named;
  }

  async #compareWithLogs(number: number, transfers: readonly Named[], history?: TokenHistory): Promise<void> {
    const candidates = this.#read({ receipts: await receiptLogsOf(this.#session.db, number) });
    const ids = new Map(transfers.map(({ token, stored }) => [toHex(token), stored.token]));
    const decoded = history === undefined ? asStored(candidates, transfers) : await history.settle(candidates, ids);
    const count = `block ${number} has ${transfers.length} transfers, its logs tell of ${decoded.length}`;
    this.#report.expect(transfers.length === decoded.length, count);
    for (const [at, transfer] of transfers.entries()) {
      const isDecoded = decoded[at] === undefined || isSame(transfer, decoded[at]);
      this.#report.expect(isDecoded, `transfer ${at} of block ${number} is not what its log says`);
    }
  }

  async #compareCounts(number: number, transfers: readonly Named[]): Promise<void> {
    const [row] = await this.#session.db.all<[Bytes]>("SELECT body FROM transfer_count WHERE block = ?", number);
    const expected = writeTransferCounts(transfers.map(({ stored }) => stored.transactionIndex));
    const isPlaced = equalBytes(row?.[0] ?? EMPTY, expected);
    this.#report.expect(isPlaced, `block ${number} says wrongly which of its transactions have transfers`);
    if (row !== undefined) this.rows.transfer_count++;
  }

  /** New items get consecutive ids. Returns the total up to the block. */
  async #expectItems(transfers: readonly Named[]): Promise<number> {
    const before = this.#last?.totals.items ?? 0;
    const fresh = new Map<number, Bytes>();
    for (const { stored, item } of transfers) {
      const next = before + fresh.size + 1;
      if (stored.item < next) continue;
      this.#report.expect(stored.item === next, `item ${stored.item} is out of the order of ids`);
      if (item !== undefined) fresh.set(stored.item, item);
    }
    await expectFindable(this.#report, this.#session, "item", fresh);
    return before + fresh.size;
  }
}

const ZERO_ADDRESS = new Uint8Array(20);

/** Drops wraps that are not stored. */
function asStored(decoded: readonly TokenTransfer[], transfers: readonly Named[]): TokenTransfer[] {
  let at = 0;
  return decoded.filter((one) => {
    const next = transfers[at];
    const isStored = one.isWrap !== true || (next !== undefined && isSame(next, one));
    if (isStored) at++;
    return isStored;
  });
}

function isSame({ stored, token, from, to, item }: Named, decoded: TokenTransfer): boolean {
  const { kind, isWrap, logIndex, transactionIndex, amount } = stored;
  const hasItem =
    decoded.tokenId === undefined
      ? stored.item === NO_ITEM
      : item !== undefined && equalBytes(item, itemValue(stored.token, decoded.tokenId));
  const isPlaced =
    kind === decoded.kind &&
    isWrap === (decoded.isWrap === true) &&
    logIndex === decoded.logIndex &&
    transactionIndex === decoded.transactionIndex;
  const areEqual = equalBytes(token, decoded.token) && equalBytes(from, decoded.from) && equalBytes(to, decoded.to);
  return hasItem && isPlaced && areEqual && equalBytes(amount, decoded.amount);
}
