import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { ChainError } from "../../../chain/error.ts";
import { settleAll } from "../../../std/async.ts";
import type { Dictionary } from "../../dictionary/dictionary.ts";
import type { Reader, Row, Writer } from "../../engine/database.ts";
import { ByteWriter } from "../../rows/encoding.ts";
import type { AddressId, ItemId } from "../../rows/ids.ts";
import type { Position } from "../../rows/position.ts";
import { firstPosition, MAX_SLOTS } from "../../rows/position.ts";
import { nextDigest } from "../../write/append.ts";
import { moveAssets } from "./tables/assets.ts";
import { rankHolders } from "./tables/holderRanking.ts";
import { rankItemHolders } from "./tables/itemHolderRanking.ts";
import { noteDueTokens } from "./tables/observations.ts";
import type { OmittingBlock } from "./tables/omissions.ts";
import { writeOmissions } from "./tables/omissions.ts";
import { rankTokens } from "./tables/tokenRanking.ts";
import type { TokenTables } from "./tables/tokenTables.ts";
import type { TokenTip, TokenTotals } from "./tables/tokenTip.ts";
import { NO_TOKEN_TOTALS, writeTokenTotals } from "./tables/tokenTip.ts";
import { writeTransfer } from "./tables/transferBody.ts";
import { writeTransferCounts } from "./tables/transferCounts.ts";
import type { BlockTransfers, ResolvedBlock } from "./tables/transferIds.ts";
import { NO_ITEM, resolveTransfers } from "./tables/transferIds.ts";
import { TransferLedger } from "./tables/transferLedger.ts";
import { noteDueWrappers } from "./tables/wrappedCoins.ts";

/** Bodies of a block's transfers, one after the other: a row of each would stay in memory until the commit. */
interface BlockBodies {
  readonly number: number;
  readonly ends: readonly number[];
  readonly bodies: Bytes;
}

function* transferRows(blocks: readonly BlockBodies[]): Iterable<Row> {
  for (const { number, ends, bodies } of blocks) {
    const first = firstPosition(number);
    for (let at = 0; at < ends.length; at++) yield [first + at, bodies.subarray(ends[at - 1] ?? 0, ends[at])];
  }
}

/** Consumes blocks in parts and writes at the end, like the core's appender. */
export class TokenAppender {
  readonly #tables: TokenTables;
  readonly #addresses: Dictionary<"address id">;
  readonly #journalFrom: number;
  readonly #firstNew: number;
  readonly #blocks: Row[] = [];
  readonly #transfers: BlockBodies[] = [];
  readonly #omitting: OmittingBlock[] = [];
  readonly #transferCounts: Row[] = [];
  /** ERC-1155 tokens by item. */
  readonly #itemTokens = new Map<ItemId, AddressId>();
  /** Items from here on had no transfer before. */
  readonly #firstNewItem: number;
  #tip: TokenTip | undefined;

  /** `addresses` is the core's dictionary, which already has every party. Ids from `firstNew` on have no rows. */
  constructor(
    tables: TokenTables,
    addresses: Dictionary<"address id">,
    tip: TokenTip | undefined,
    { journalFrom, firstNew }: { journalFrom: number; firstNew: number },
  ) {
    this.#tables = tables;
    this.#addresses = addresses;
    this.#tip = tip;
    this.#journalFrom = journalFrom;
    this.#firstNew = firstNew;
    this.#firstNewItem = (tip?.totals.items ?? 0) + 1;
  }

  get tip(): TokenTip | undefined {
    return this.#tip;
  }

  /** Empties the array, so that transfers are not held beside their rows. */
  async add(db: Reader, blocks: BlockTransfers[]): Promise<void> {
    const { items } = this.#tip?.totals ?? NO_TOKEN_TOTALS;
    const resolved = await resolveTransfers(db, this.#tables, this.#addresses, items, blocks);
    this.#omitting.push(...blocks.flatMap(({ number, omitted }) => (omitted === undefined ? [] : { number, omitted })));
    blocks.length = 0;
    const ledger = new TransferLedger(this.#tables);
    await ledger.load(db, resolved);
    for (const block of resolved) {
      ledger.begin(block.number >= this.#journalFrom ? block.number : undefined);
      this.#addBlock(block, ledger);
    }
  }

  async finish(writer: Writer): Promise<void> {
    const { items, lists, itemTransfers } = this.#tables;
    await writer.insert("transfer", ["position", "body"], transferRows(this.#transfers));
    // Released before the rest is built.
    this.#transfers.length = 0;
    await writer.insert("token_block", ["number", "totals", "digest"], this.#blocks);
    await writer.insert("transfer_count", ["block", "body"], this.#transferCounts);
    await settleAll([
      writeOmissions(writer, this.#omitting),
      items.flush(writer),
      ...lists.map((list) => list.flush(writer, this.#firstNew)),
      itemTransfers.flush(writer, this.#firstNewItem),
      this.#writeStates(writer),
    ]);
    this.#addresses.trim();
  }

  /** Tokens, holdings and what is derived from them. */
  async #writeStates(writer: Writer): Promise<void> {
    const { tokens, wrappers, holdings, itemHoldings } = this.#tables;
    const balances = { tokens: holdings.changes(), items: itemHoldings.changes() };
    const [changes, wrapperChanges] = [tokens.changes(), wrappers.changes()];
    const known = new Set(wrapperChanges.map(({ id }) => id).filter((id) => tokens.get(id) !== undefined));
    await rankHolders(writer, balances.tokens);
    await holdings.flush(writer);
    await itemHoldings.flush(writer);
    await tokens.flush(writer);
    await wrappers.flush(writer);
    const withItems = new Set(changes.filter(({ after }) => after?.hasItems).map(({ id }) => id));
    const rule = {
      hasItems: (token: AddressId) => withItems.has(token),
      itemOf: (item: ItemId) => this.#itemTokens.get(item),
      mayHaveMany: (address: AddressId) => this.#tables.mayHaveMany(address),
    };
    const changed = changes.map(({ id }) => id);
    await settleAll([
      rankTokens(writer, changes),
      noteDueTokens(writer, changed),
      noteDueWrappers(writer, wrapperChanges, (id) => known.has(id)),
      moveAssets(writer, balances, rule, this.#firstNew),
      rankItemHolders(writer, balances.items, rule),
    ]);
  }

  #addBlock({ number, transfers, items }: ResolvedBlock, ledger: TransferLedger): void {
    const bodies = new ByteWriter(1 << 12);
    const ends: number[] = [];
    const indexes: number[] = [];
    let newTokens = 0;
    let lastItem = this.#tip?.totals.items ?? 0;
    for (const transfer of ledger.settled(transfers)) {
      const position = firstPosition(number) + indexes.length;
      indexes.push(transfer.transactionIndex);
      writeTransfer(transfer, bodies);
      ends.push(bodies.length);
      if (ledger.apply(transfer)) newTokens++;
      this.#list(transfer, position);
      if (transfer.item > lastItem) {
        lastItem = transfer.item;
        this.#tables.tokenItems.add(transfer.token, transfer.item);
      }
    }
    if (indexes.length >= MAX_SLOTS) {
      throw new ChainError("limit_exceeded", `block ${number} has over ${MAX_SLOTS} transfers`);
    }
    if (indexes.length > 0) {
      this.#transferCounts.push([number, writeTransferCounts(indexes)]);
      this.#transfers.push({ number, ends, bodies: bodies.view() });
    }
    this.#close(number, { transfers: indexes.length, tokens: newTokens, items }, bodies.view());
  }

  #list({ token, from, to, item, sender, recipient }: ResolvedBlock["transfers"][number], position: Position): void {
    const { tokens, tokenTransfers, addressTransfers, itemTransfers, holdings } = this.#tables;
    if (item !== NO_ITEM) {
      itemTransfers.add(item, position);
      if (tokens.get(token)!.hasItems) this.#itemTokens.set(item, token);
    }
    tokenTransfers.add(token, position);
    addressTransfers.addOnce(from, position);
    addressTransfers.addOnce(to, position);
    if (sender !== undefined) holdings.list(sender, position);
    if (recipient !== undefined) holdings.list(recipient, position);
  }

  /** `added` is per block, except for items, which are cumulative. */
  #close(number: number, added: TokenTotals, bodies: Bytes): void {
    const before = this.#tip?.totals ?? NO_TOKEN_TOTALS;
    const totals: TokenTotals = {
      transfers: before.transfers + added.transfers,
      tokens: before.tokens + added.tokens,
      items: added.items,
    };
    const row = writeTokenTotals(totals);
    const digest = nextDigest(this.#tip?.digest, [row, bodies]);
    this.#blocks.push([number, row, digest]);
    this.#tip = { number, totals, digest };
  }
}
