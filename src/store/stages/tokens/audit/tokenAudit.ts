import { EMPTY, equalBytes } from "../../../../chain/encoding/bytes.ts";
import type { TokenKind } from "../../../../chain/token/tokenTransfer.ts";
import type { AuditOptions } from "../../../audit/audit.ts";
import { AuditReport } from "../../../audit/auditReport.ts";
import { auditKeys } from "../../../audit/dictionaryAudit.ts";
import type { IdRange } from "../../../audit/idRange.ts";
import { idRanges } from "../../../audit/idRange.ts";
import { ListAudit, Outlines } from "../../../audit/listAudit.ts";
import { readNumber } from "../../../engine/database.ts";
import { keysetPages } from "../../../engine/keysetPages.ts";
import type { CoreReads } from "../../../read/coreReads.ts";
import type { AddressId } from "../../../rows/ids.ts";
import { blockOf, firstPosition } from "../../../rows/position.ts";
import { isErc20Mint } from "../tables/minting.ts";
import { addressTransfers, tokenItems, tokenTransfers } from "../tables/tokenTables.ts";
import type { TokenTip } from "../tables/tokenTip.ts";
import { NO_TOKEN_TOTALS, readTokenTips } from "../tables/tokenTip.ts";
import type { StoredTransfer } from "../tables/transferBody.ts";
import { readTransfer } from "../tables/transferBody.ts";
import { ZERO_ADDRESS_ID } from "../tables/transferIds.ts";
import { storedTransfers } from "../tables/transferRows.ts";
import { auditAssets } from "./assetAudit.ts";
import { auditHoldings } from "./holdingAudit.ts";
import { auditItems } from "./itemAudit.ts";
import { auditTokenNames } from "./nameAudit.ts";
import type { LocatedTransfer, ReadTransfers, TokenHistory } from "./tokenBlockAudit.ts";
import { TokenBlockAudit } from "./tokenBlockAudit.ts";
import { auditTokenJournals } from "./tokenJournalAudit.ts";
import { TokenRankAudit } from "./tokenRankAudit.ts";
import { TokenSums } from "./tokenSums.ts";
import { WrapAudit } from "./wrapAudit.ts";

export type { ReadTransfers } from "./tokenBlockAudit.ts";

const BLOCK_BATCH_SIZE = 100;

/** Recomputes the stage from stored logs. Returns the differences; none without the stage. */
export async function auditTokens(
  session: CoreReads,
  read: ReadTransfers,
  options: AuditOptions = {},
): Promise<string[]> {
  const report = new AuditReport();
  await report.gather(() => new TokenAuditor(session, read, report, options).run());
  return report.problems;
}

class TokenAuditor {
  readonly #session: CoreReads;
  readonly #report: AuditReport;
  readonly #options: AuditOptions;
  readonly #read: ReadTransfers;
  readonly #blocks: TokenBlockAudit;
  readonly #wraps: WrapAudit;
  readonly #lists: Readonly<Record<"ofTokens" | "ofAddresses" | "itemsOfTokens", ListAudit>>;
  readonly #ranks: TokenRankAudit;

  constructor(session: CoreReads, read: ReadTransfers, report: AuditReport, options: AuditOptions) {
    this.#session = session;
    this.#report = report;
    this.#options = options;
    this.#read = read;
    this.#blocks = new TokenBlockAudit(session, read, report);
    this.#wraps = new WrapAudit(session, report);
    const { db } = session;
    const names = { what: "transfers", whose: "token" };
    this.#lists = {
      ofTokens: new ListAudit(report, tokenTransfers(db), names),
      ofAddresses: new ListAudit(report, addressTransfers(db), { ...names, whose: "address" }),
      itemsOfTokens: new ListAudit(report, tokenItems(db), { ...names, what: "items" }),
    };
    this.#ranks = new TokenRankAudit(db, report);
  }

  async run(): Promise<void> {
    const highest = (await this.#session.blocks.tip())?.totals.addresses ?? 0;
    for (const range of idRanges(highest, this.#options.idBatchSize))
      await this.#compare(
        await (range.isFirst ? this.#auditBlocks(range, new TokenStates(highest)) : this.#sum(range)),
      );
    await this.#finish();
    await auditTokenJournals(this.#session, this.#report, this.#blocks.last?.number);
  }

  /** Walks all blocks, summing the first range on the way. */
  async #auditBlocks(range: IdRange, seen: TokenStates): Promise<Sums> {
    const sums = new Sums(range);
    let last = -1;
    for await (const tips of this.#pages()) {
      for (const tip of tips) {
        const history: TokenHistory = {
          countNew: (transfers) => seen.countNew(transfers),
          settle: (decoded, ids) => this.#wraps.settle(tip.number, decoded, ids, (id) => seen.state(id)),
        };
        for (const placed of await this.#blocks.block(tip, history)) sums.add(placed);
        last = tip.number;
      }
      await this.#options.onBlock?.(last);
    }
    return sums;
  }

  #pages(): AsyncGenerator<TokenTip[]> {
    const { db } = this.#session;
    return keysetPages(BLOCK_BATCH_SIZE, (last, count) => readTokenTips(db, (last?.number ?? -1) + 1, count));
  }

  async #sum(range: IdRange): Promise<Sums> {
    const { db } = this.#session;
    const sums = new Sums(range);
    let last = -1;
    for await (const tips of this.#pages()) {
      const from = last + 1;
      const blocks = new Set(tips.map(({ number }) => number));
      for (const number of blocks) last = number;
      for await (const [position, body] of storedTransfers(db, firstPosition(from), firstPosition(last + 1)))
        if (blocks.has(blockOf(position))) sums.add({ position, transfer: readTransfer(body) });
      await this.#options.onBlock?.(last);
    }
    return sums;
  }

  async #compare({ range, ofTokens, ofAddresses, itemsOfTokens, tokens }: Sums): Promise<void> {
    const { db, addressHasher: hash } = this.#session;
    await this.#lists.ofTokens.compare(ofTokens);
    await this.#lists.ofAddresses.compare(ofAddresses);
    await this.#lists.itemsOfTokens.compare(itemsOfTokens);
    // Balances are compared once, and summed again for the tokens of each range.
    const report = range.isFirst ? this.#report : new AuditReport();
    if (range.isFirst || tokens.size > 0)
      await auditHoldings(db, report, (token, address, amount) => tokens.hold(hash, token, address, amount));
    await tokens.addCarriedDeposits(db);
    await tokens.compareTokens(db, this.#report);
    await tokens.compareRanks(this.#session, this.#report);
    await this.#ranks.compare(range, tokens.ranked());
  }

  async #finish(): Promise<void> {
    for (const list of Object.values(this.#lists)) await list.finish();
    await this.#ranks.finish();
    await this.#wraps.finish(this.#read, this.#blocks.last?.number ?? -1);
    await auditAssets(this.#session.db, this.#report);
    await auditTokenNames(this.#session.db, this.#report);
    const { transfers, items } = this.#blocks.last?.totals ?? NO_TOKEN_TOTALS;
    await auditItems(this.#session.db, this.#report, { items, idBatchSize: this.#options.idBatchSize });
    for (const [table, count] of [
      ["transfer", transfers],
      ["transfer_count", this.#blocks.rows.transfer_count],
      ["item", items],
    ] as const) {
      const rows = await readNumber(this.#session.db, `SELECT count(*) FROM ${table}`);
      this.#report.expect(rows === count, `there are ${rows} rows of ${table}, not ${count}`);
    }
    const keys = await auditKeys(this.#report, this.#session, "item");
    this.#report.expect(keys === items, `there are ${keys} entries of item_hash, not ${items}`);
    await this.#expectStage();
  }

  async #expectStage(): Promise<void> {
    const { last } = this.#blocks;
    const stage = (await this.#session.stages()).find(({ name }) => name === "tokens");
    const isAt = stage?.block === last?.number && equalBytes(stage?.digest ?? EMPTY, last?.digest ?? EMPTY);
    this.#report.expect(isAt, "the tokens stage is not at its newest block");
  }
}

/** Three bits per address. */
class TokenStates {
  readonly #tokens: BitSet;
  readonly #erc20: BitSet;
  readonly #minting: BitSet;

  constructor(highest: number) {
    this.#tokens = new BitSet(highest);
    this.#erc20 = new BitSet(highest);
    this.#minting = new BitSet(highest);
  }

  state(token: AddressId): { readonly kinds: readonly TokenKind[]; readonly mints: boolean } | undefined {
    if (!this.#tokens.has(token)) return undefined;
    return { kinds: this.#erc20.has(token) ? ["ERC-20"] : [], mints: this.#minting.has(token) };
  }

  countNew(transfers: readonly StoredTransfer[]): number {
    let count = 0;
    for (const transfer of transfers) {
      const { token, kind, from } = transfer;
      if (this.#tokens.add(token)) count++;
      if (kind === "ERC-20") this.#erc20.add(token);
      if (isErc20Mint(transfer, from === ZERO_ADDRESS_ID)) this.#minting.add(token);
    }
    return count;
  }
}

class BitSet {
  readonly #bits: Uint8Array;

  constructor(highest: number) {
    this.#bits = new Uint8Array(Math.ceil((highest + 1) / 8));
  }

  has(at: number): boolean {
    return ((this.#bits[Math.floor(at / 8)] ?? 0) & (1 << (at % 8))) !== 0;
  }

  add(at: number): boolean {
    const isNew = !this.has(at);
    this.#bits[Math.floor(at / 8)]! |= 1 << (at % 8);
    return isNew;
  }
}

/** 36 bytes per id, and up to 110 more per token. */
class Sums {
  readonly range: IdRange;
  readonly ofTokens: Outlines;
  readonly ofAddresses: Outlines;
  readonly itemsOfTokens: Outlines;
  readonly tokens: TokenSums;
  #items = 0;

  constructor(range: IdRange) {
    this.range = range;
    this.ofTokens = new Outlines(range);
    this.ofAddresses = new Outlines(range);
    this.itemsOfTokens = new Outlines(range);
    this.tokens = new TokenSums(range);
  }

  add({ position, transfer }: LocatedTransfer): void {
    const { token, from, to, item } = transfer;
    this.tokens.add(transfer);
    this.ofTokens.extend(token, position);
    this.ofAddresses.extend(from, position);
    if (to !== from) this.ofAddresses.extend(to, position);
    if (item <= this.#items) return;
    this.#items = item;
    this.itemsOfTokens.extend(token, item);
  }
}
