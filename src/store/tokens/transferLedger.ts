import { uintToBigInt } from "../../chain/uint.ts";
import type { MutableRows } from "../mutableRows.ts";
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
    const all = blocks.flatMap(({ transfers }) => transfers);
    const ids = (of: (transfer: ResolvedTransfer) => (number | undefined)[]) =>
      [...new Set(all.flatMap(of))].filter((id) => id !== undefined);
    await this.#tables.tokens.load(ids(({ token }) => [token]));
    await this.#tables.balances.load(ids(({ giver, taker }) => [giver, taker]));
    await this.#tables.itemBalances.load(ids(({ itemGiver, itemTaker }) => [itemGiver, itemTaker]));
  }

  /** Begins the changes of a block; without a number they are final and not journaled. */
  begin(block: number | undefined): void {
    for (const rows of [this.#tables.tokens, this.#tables.balances, this.#tables.itemBalances]) rows.begin(block);
  }

  /** True if it is the first transfer of its token. */
  apply(transfer: ResolvedTransfer): boolean {
    const { tokens, balances, itemBalances } = this.#tables;
    const amount = uintToBigInt(transfer.amount);
    const known = tokens.get(transfer.token);
    const { kinds, holders, debtors, supply } = known ?? NO_TOKEN;
    const tally = { holders, debtors };
    if (transfer.giver !== undefined) move(balances, transfer.giver, -amount, tally);
    if (transfer.taker !== undefined) move(balances, transfer.taker, amount, tally);
    if (transfer.itemGiver !== undefined) move(itemBalances, transfer.itemGiver, -amount);
    if (transfer.itemTaker !== undefined) move(itemBalances, transfer.itemTaker, amount);
    const minted = transfer.giver === undefined ? amount : 0n;
    const burnt = transfer.taker === undefined ? amount : 0n;
    tokens.set(transfer.token, {
      kinds: kinds.includes(transfer.kind) ? kinds : [...kinds, transfer.kind],
      ...tally,
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
function move(balances: MutableRows<bigint>, id: number, amount: bigint, tally?: Tally): void {
  const before = balances.get(id) ?? 0n;
  const after = before + amount;
  balances.set(id, after);
  if (tally === undefined) return;
  tally.holders += Number(after > 0n) - Number(before > 0n);
  tally.debtors += Number(after < 0n) - Number(before < 0n);
}
