import type { Bytes } from "../../chain/bytes.ts";
import { EMPTY, equalBytes } from "../../chain/bytes.ts";
import { toHex } from "../../chain/hex.ts";
import type { TokenTransfer } from "../../chain/tokenTransfer.ts";
import { AddressBook } from "../addressBook.ts";
import { nextDigest } from "../append.ts";
import { AuditReport } from "../auditReport.ts";
import { receiptLogsOf } from "../blockLogs.ts";
import { expectFindable } from "../dictionaryAudit.ts";
import type { Outlines } from "../listAudit.ts";
import { compareLists, extendOf } from "../listAudit.ts";
import { firstPosition } from "../position.ts";
import type { LoggedBlock, Store } from "../store.ts";
import { auditAssets } from "./assetAudit.ts";
import { auditHoldings } from "./holdingAudit.ts";
import { auditTokenNames } from "./nameAudit.ts";
import { auditTokenRanks } from "./tokenRankAudit.ts";
import { TokenSums } from "./tokenSums.ts";
import { addressTransfers, itemValue, tokenItems, tokenTransfers } from "./tokenTables.ts";
import { writeTokenTotals } from "./tokenTip.ts";
import type { StoredTransfer } from "./transferBody.ts";
import { readTransfer } from "./transferBody.ts";
import { NO_ITEM, ZERO_ADDRESS_ID } from "./transferIds.ts";
import { writePlaces } from "./transferPlaces.ts";
import { WrapAudit } from "./wrapAudit.ts";

/** What a block's logs mean, as the indexer reads them. */
export type ReadTransfers = (block: LoggedBlock) => readonly TokenTransfer[];

/** A row of `token_block`. */
type BlockRow = [number: number, totals: Bytes, digest: Bytes];

const BLOCKS_AT_ONCE = 100;

/**
 * Reads the transfers again from the stored logs, and recomputes from them all that the tokens stage says; answers what
 * does not agree. An index without the stage has nothing to audit.
 */
export async function auditTokens(
  store: Store,
  read: ReadTransfers,
  onBlock: (number: number) => void = () => {},
): Promise<string[]> {
  const report = new AuditReport();
  const auditor = new TokenAuditor(store, read, report);
  await report.gather(async () => {
    const sql = "SELECT number, totals, digest FROM token_block WHERE number >= ? ORDER BY number LIMIT ?";
    for (let from = 0; ; ) {
      const rows = (await store.engine.all(sql, from, BLOCKS_AT_ONCE)) as BlockRow[];
      for (const row of rows) await auditor.block(row);
      if (rows.length === 0) break;
      from = rows.at(-1)![0] + 1;
      onBlock(from - 1);
    }
    await auditor.finish();
  });
  return report.problems;
}

/** A stored transfer beside the bytes its ids stand for. */
interface Named {
  readonly stored: StoredTransfer;
  readonly token: Bytes;
  readonly from: Bytes;
  readonly to: Bytes;
  readonly item: Bytes | undefined;
}

class TokenAuditor {
  readonly #store: Store;
  readonly #read: ReadTransfers;
  readonly #report: AuditReport;
  readonly #sums = new TokenSums();
  readonly #wraps: WrapAudit;
  readonly #ofTokens: Outlines = new Map();
  readonly #ofAddresses: Outlines = new Map();
  readonly #itemsOfTokens: Outlines = new Map();
  #transfers = 0;
  #places = 0;
  #items = 0;
  #last: { readonly number: number; readonly digest: Bytes } | undefined;

  constructor(store: Store, read: ReadTransfers, report: AuditReport) {
    this.#store = store;
    this.#read = read;
    this.#report = report;
    this.#wraps = new WrapAudit(store, report);
  }

  async block([number, totals, digest]: BlockRow): Promise<void> {
    const first = this.#last === undefined ? (await this.#store.blocks.first())?.header.number : this.#last.number + 1;
    this.#report.expect(number === first, `the transfers of block ${number} do not follow those of the block before`);
    const sql = "SELECT position, body FROM transfer WHERE position >= ? AND position < ? ORDER BY position";
    const rows = await this.#store.engine.all(sql, firstPosition(number), firstPosition(number + 1));
    const inOrder = rows.every(([position], at) => position === firstPosition(number) + at);
    this.#report.expect(inOrder, `a transfer of block ${number} is out of place`);
    const bodies = rows.map(([, body]) => body as Bytes);
    const transfers = await this.#named(bodies.map(readTransfer));
    await this.#comparePlaces(number, transfers);
    const told = await this.#compareWithLogs(number, transfers);
    await this.#expectItems(transfers);
    for (const [at, { stored }] of transfers.entries()) {
      this.#count(stored, firstPosition(number) + at, told[at]?.isWrap === true);
    }
    const expected = writeTokenTotals({ transfers: this.#transfers, tokens: this.#sums.size, items: this.#items });
    this.#report.expect(equalBytes(expected, totals), `the tokens stage has wrong totals at block ${number}`);
    const isChained = equalBytes(nextDigest(this.#last?.digest, [totals, ...bodies]), digest);
    this.#report.expect(isChained, `the tokens stage has another digest at block ${number} than its rows`);
    this.#last = { number, digest };
  }

  async finish(): Promise<void> {
    const { engine, hash } = this.#store;
    const names = { what: "transfers", whose: "token" };
    await compareLists(this.#report, tokenTransfers(engine), this.#ofTokens, names);
    await compareLists(this.#report, addressTransfers(engine), this.#ofAddresses, { ...names, whose: "address" });
    await compareLists(this.#report, tokenItems(engine), this.#itemsOfTokens, { ...names, what: "items" });
    await auditHoldings(engine, this.#report, (token, address, amount) =>
      this.#sums.hold(hash, token, address, amount),
    );
    await this.#sums.carry(engine);
    await this.#sums.compareTokens(engine, this.#report);
    await this.#sums.compareRanks(this.#store, this.#report);
    await auditTokenRanks(engine, this.#report, this.#sums.ranked());
    await this.#wraps.finish(this.#read, this.#last?.number ?? -1);
    await auditAssets(engine, this.#report);
    await auditTokenNames(engine, this.#report);
    for (const [table, count] of [
      ["transfer", this.#transfers],
      ["transfer_place", this.#places],
      ["item", this.#items],
      ["item_hash", this.#items],
    ] as const) {
      const [row] = await engine.all(`SELECT count(*) FROM ${table}`);
      this.#report.expect(row![0] === count, `there are ${row![0]} rows of ${table}, not ${count}`);
    }
    await this.#expectStage();
  }

  async #expectStage(): Promise<void> {
    const stage = (await this.#store.stages()).find(({ name }) => name === "tokens");
    const isAt = stage?.block === this.#last?.number && equalBytes(stage?.digest ?? EMPTY, this.#last?.digest ?? EMPTY);
    this.#report.expect(isAt, "the tokens stage is not at its newest block");
  }

  async #named(transfers: readonly StoredTransfer[]): Promise<Named[]> {
    const { engine } = this.#store;
    const book = new AddressBook(engine);
    const address = (id: number) => (id === ZERO_ADDRESS_ID ? ZERO_ADDRESS : book.address(id));
    const ids = new Set(transfers.map(({ item }) => item));
    const items = new Map(
      (await engine.load("SELECT id, value FROM item WHERE id IN ($keys)", [...ids])) as [number, Bytes][],
    );
    const named = transfers.map((stored) => {
      const { token, from, to, item } = stored;
      return { stored, token: address(token), from: address(from), to: address(to), item: items.get(item) };
    });
    await book.load();
    return named;
  }

  async #compareWithLogs(number: number, transfers: readonly Named[]): Promise<readonly TokenTransfer[]> {
    const candidates = this.#read({ receipts: await receiptLogsOf(this.#store.engine, number) });
    const ids = new Map(transfers.map(({ token, stored }) => [toHex(token), stored.token]));
    const told = await this.#wraps.settle(number, candidates, ids, (id) => this.#sums.get(id));
    const count = `block ${number} has ${transfers.length} transfers, its logs tell of ${told.length}`;
    this.#report.expect(transfers.length === told.length, count);
    for (const [at, transfer] of transfers.entries()) {
      const isTold = told[at] === undefined || isSame(transfer, told[at]);
      this.#report.expect(isTold, `transfer ${at} of block ${number} is not what its log says`);
    }
    return told;
  }

  async #comparePlaces(number: number, transfers: readonly Named[]): Promise<void> {
    const [row] = await this.#store.engine.all("SELECT body FROM transfer_place WHERE block = ?", number);
    const expected = writePlaces(transfers.map(({ stored }) => stored.transactionIndex));
    const isPlaced = equalBytes((row?.[0] as Bytes | undefined) ?? EMPTY, expected);
    this.#report.expect(isPlaced, `block ${number} says wrongly which of its transactions have transfers`);
    if (row !== undefined) this.#places++;
  }

  /** New items get the next ids in the order in which they come. */
  async #expectItems(transfers: readonly Named[]): Promise<void> {
    const fresh = new Map<number, Bytes>();
    for (const { stored, item } of transfers) {
      if (stored.item <= this.#items + fresh.size) continue;
      this.#report.expect(
        stored.item === this.#items + fresh.size + 1,
        `item ${stored.item} is out of the order of ids`,
      );
      if (item === undefined) continue;
      fresh.set(stored.item, item);
      extendOf(this.#itemsOfTokens, stored.token, stored.item);
    }
    this.#items += fresh.size;
    await expectFindable(this.#report, this.#store, "item", fresh);
  }

  #count(transfer: StoredTransfer, position: number, isWrap: boolean): void {
    const { token, from, to } = transfer;
    this.#transfers++;
    this.#sums.add(transfer, isWrap);
    extendOf(this.#ofTokens, token, position);
    for (const party of new Set([from, to])) extendOf(this.#ofAddresses, party, position);
  }
}

const ZERO_ADDRESS = new Uint8Array(20);

function isSame({ stored, token, from, to, item }: Named, told: TokenTransfer): boolean {
  const { kind, logIndex, transactionIndex, amount } = stored;
  const hasItem =
    told.tokenId === undefined
      ? stored.item === NO_ITEM
      : item !== undefined && equalBytes(item, itemValue(stored.token, told.tokenId));
  const isPlaced = kind === told.kind && logIndex === told.logIndex && transactionIndex === told.transactionIndex;
  const areEqual = equalBytes(token, told.token) && equalBytes(from, told.from) && equalBytes(to, told.to);
  return hasItem && isPlaced && areEqual && equalBytes(amount, told.amount);
}
