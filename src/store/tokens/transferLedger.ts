import { uintToBigInt } from "../../chain/uint.ts";
import type { Holdings } from "./holdings.ts";
import { NO_TOKEN } from "./tokenState.ts";
import type { TokenTables } from "./tokenTables.ts";
import type { ResolvedBlock, ResolvedTransfer } from "./transferIds.ts";

/** Adds transfers up: balances, items, holders and supplies. It believes every log and overflows at none. */
export class TransferLedger {
  readonly #tables: TokenTables;

  constructor(tables: TokenTables) {
    this.#tables = tables;
  }

  async load(blocks: readonly ResolvedBlock[]): Promise<void> {
    const tokens = new Set(blocks.flatMap(({ transfers }) => transfers.map(({ token }) => token)));
    await this.#tables.tokens.load([...tokens]);
  }

  /** Begins the changes of a block; without a number they are final and not journaled. */
  begin(block: number | undefined): void {
    for (const rows of [this.#tables.tokens, this.#tables.holdings, this.#tables.itemHoldings]) rows.begin(block);
  }

  /** True if it is the first transfer of its token. */
  apply(transfer: ResolvedTransfer): boolean {
    const { tokens, holdings, itemHoldings } = this.#tables;
    const amount = uintToBigInt(transfer.amount);
    const known = tokens.get(transfer.token);
    const { kinds, holders, debtors, supply } = known ?? NO_TOKEN;
    const tally = { holders, debtors };
    if (transfer.giver !== undefined) count(holdings, transfer.giver, -amount, tally);
    if (transfer.taker !== undefined) count(holdings, transfer.taker, amount, tally);
    if (transfer.itemGiver !== undefined) itemHoldings.move(transfer.itemGiver, -amount);
    if (transfer.itemTaker !== undefined) itemHoldings.move(transfer.itemTaker, amount);
    const minted = transfer.giver === undefined ? amount : 0n;
    const burnt = transfer.taker === undefined ? amount : 0n;
    tokens.set(transfer.token, {
      kinds: kinds.includes(transfer.kind) ? kinds : [...kinds, transfer.kind],
      holders: tally.holders,
      debtors: tally.debtors,
      supply: supply + minted - burnt,
    });
    return known === undefined;
  }
}

interface Tally {
  holders: number;
  debtors: number;
}

/** Changes a balance, and counts who came to have more or less than nothing by that. */
function count(holdings: Holdings, entry: number, amount: bigint, tally: Tally): void {
  const before = holdings.move(entry, amount);
  const after = before + amount;
  tally.holders += Number(after > 0n) - Number(before > 0n);
  tally.debtors += Number(after < 0n) - Number(before < 0n);
}
