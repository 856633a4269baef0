import { uintToBigInt } from "../../../../chain/encoding/uint.ts";
import { settleAll } from "../../../../std/async.ts";
import type { Reader } from "../../../engine/database.ts";
import type { Holdings } from "./holdings.ts";
import { isErc20Mint } from "./minting.ts";
import { NO_TOKEN } from "./tokenState.ts";
import type { TokenTables } from "./tokenTables.ts";
import type { ResolvedBlock, ResolvedTransfer } from "./transferIds.ts";
import { Wraps } from "./wraps.ts";

/** Sums transfers into balances, items, holders and supplies. Accepts every log and never overflows. */
export class TransferLedger {
  readonly #tables: TokenTables;
  readonly #wraps: Wraps;
  /** Of the token of the transfer that is applied. */
  readonly #tally: Tally = { holders: 0, debtors: 0 };

  constructor(tables: TokenTables) {
    this.#tables = tables;
    this.#wraps = new Wraps(tables);
  }

  async load(db: Reader, blocks: readonly ResolvedBlock[]): Promise<void> {
    const { holdings, itemHoldings } = this.#tables;
    const [, , areMoreNoted] = await settleAll([
      holdings.load(db),
      itemHoldings.load(db),
      this.#wraps.load(db, blocks),
    ]);
    if (areMoreNoted) await holdings.load(db);
  }

  /** Undefined: final, not journaled. */
  begin(block: number | undefined): void {
    const { tokens, wrappers, holdings, itemHoldings } = this.#tables;
    for (const rows of [tokens, wrappers, holdings, itemHoldings]) rows.begin(block);
    this.#wraps.begin();
  }

  /** Lazily: each transfer must be applied before the next is taken. */
  *settled(transfers: readonly ResolvedTransfer[]): Generator<ResolvedTransfer> {
    if (this.#wraps.isIdle) {
      yield* transfers;
      return;
    }
    for (let start = 0; start < transfers.length; ) {
      const { transactionIndex } = transfers[start]!;
      let end = start + 1;
      while (end < transfers.length && transfers[end]!.transactionIndex === transactionIndex) end++;
      yield* this.#wraps.settle(transfers.slice(start, end));
      start = end;
    }
    this.#wraps.close();
  }

  /** Returns whether it is the token's first transfer. */
  apply(transfer: ResolvedTransfer): boolean {
    const { tokens, holdings, itemHoldings } = this.#tables;
    const amount = uintToBigInt(transfer.amount);
    const { kinds, holders, debtors, supply, mints, hasItems } = tokens.get(transfer.token) ?? NO_TOKEN;
    const { kind } = transfer;
    const isFirst = kinds.length === 0;
    const tally = this.#tally;
    [tally.holders, tally.debtors] = [holders, debtors];
    if (transfer.sender !== undefined) count(holdings, transfer.sender, -amount, tally);
    if (transfer.recipient !== undefined) count(holdings, transfer.recipient, amount, tally);
    if (transfer.itemSender !== undefined) itemHoldings.move(transfer.itemSender, -amount);
    if (transfer.itemRecipient !== undefined) itemHoldings.move(transfer.itemRecipient, amount);
    const minted = transfer.sender === undefined ? amount : 0n;
    const burnt = transfer.recipient === undefined ? amount : 0n;
    tokens.set(transfer.token, {
      kinds: kinds.includes(kind) ? kinds : [...kinds, kind],
      holders: tally.holders,
      debtors: tally.debtors,
      supply: supply + minted - burnt,
      mints: mints || isErc20Mint(transfer, transfer.sender === undefined),
      hasItems: isFirst ? kind === "ERC-1155" : hasItems,
    });
    return isFirst;
  }
}

interface Tally {
  holders: number;
  debtors: number;
}

/** Updates a balance and the counts of holders and debtors. */
function count(holdings: Holdings, entry: number, amount: bigint, tally: Tally): void {
  const before = holdings.move(entry, amount);
  const after = before + amount;
  tally.holders += Number(after > 0n) - Number(before > 0n);
  tally.debtors += Number(after < 0n) - Number(before < 0n);
}
