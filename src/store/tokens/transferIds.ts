import type { Bytes } from "../../chain/bytes.ts";
import { isZero } from "../../chain/bytes.ts";
import type { TokenTransfer } from "../../chain/tokenTransfer.ts";
import type { Dictionary } from "../dictionary.ts";
import type { TokenTables } from "./tokenTables.ts";
import { idPair, itemValue } from "./tokenTables.ts";
import type { TokenTotals } from "./tokenTip.ts";
import type { StoredTransfer } from "./transferBody.ts";

/** The transfers of one block, in chain order. */
export interface BlockTransfers {
  readonly number: number;
  readonly transfers: readonly TokenTransfer[];
}

/** A transfer by ids, with the holdings it moves; undefined for the zero address, which holds nothing. */
export interface ResolvedTransfer extends StoredTransfer {
  readonly giver: number | undefined;
  readonly taker: number | undefined;
  readonly itemGiver: number | undefined;
  readonly itemTaker: number | undefined;
}

export interface ResolvedBlock {
  readonly number: number;
  readonly transfers: readonly ResolvedTransfer[];
  readonly given: GivenIds;
}

/** How many ids each dictionary has given out up to and including a block, and what was new in it. */
interface GivenIds {
  readonly holdings: number;
  readonly items: number;
  readonly itemHoldings: number;
  readonly newHoldings: readonly { readonly owner: number; readonly holding: number }[];
  readonly newItems: readonly { readonly token: number; readonly item: number }[];
}

interface Draft {
  readonly transfer: TokenTransfer;
  readonly token: number;
  readonly from: number;
  readonly to: number;
  /** Entries of dictionaries until they are loaded. */
  readonly giver: number | undefined;
  readonly taker: number | undefined;
  readonly item: number | undefined;
}

/** Gives every token, address, holding and item of some blocks its id, in the order of the chain. */
export async function resolveTransfers(
  tables: TokenTables,
  addresses: Dictionary,
  before: TokenTotals,
  blocks: readonly BlockTransfers[],
): Promise<ResolvedBlock[]> {
  const noted = blocks.map(({ transfers }) => transfers.map((transfer) => noteAddresses(transfer, addresses)));
  await addresses.loadKnown();
  const drafts = noted.map((transfers) => {
    const block = transfers.map((transfer) => draft(tables, addresses, transfer));
    return { block, holdings: tables.holdings.noted, items: tables.items.noted };
  });
  const marks = (of: "holdings" | "items") => drafts.map((mark) => mark[of]);
  const holdings = await tables.holdings.load(before.holdings + 1, marks("holdings"));
  const items = await tables.items.load(before.items + 1, marks("items"));
  const withItems = drafts.map(({ block }) => {
    const entries = block.map((one) => itemEntries(tables, one));
    return { entries, noted: tables.itemHoldings.noted };
  });
  const itemHoldings = await tables.itemHoldings.load(
    before.itemHoldings + 1,
    withItems.map((mark) => mark.noted),
  );
  return blocks.map(({ number }, at) => {
    const transfers = drafts[at]!.block.map((one, index) => finish(tables, one, withItems[at]!.entries[index]!));
    const counts = {
      holdings: before.holdings + holdings[at]!,
      items: before.items + items[at]!,
      itemHoldings: before.itemHoldings + itemHoldings[at]!,
    };
    const known = { holdings: before.holdings + (holdings[at - 1] ?? 0), items: before.items + (items[at - 1] ?? 0) };
    return { number, transfers, given: { ...counts, ...newIn(transfers, known) } };
  });
}

/** Entries of the address dictionary; undefined for the zero address, which a deposit implies and no log need name. */
interface Noted {
  readonly transfer: TokenTransfer;
  readonly token: number;
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** Stands for the zero address in the tokens stage; dictionaries begin at 1. */
export const ZERO_ADDRESS_ID = 0;

function noteAddresses(transfer: TokenTransfer, addresses: Dictionary): Noted {
  const note = (party: Bytes) => (isZero(party) ? undefined : addresses.note(party));
  return { transfer, token: addresses.note(transfer.token), from: note(transfer.from), to: note(transfer.to) };
}

function draft({ holdings, items }: TokenTables, addresses: Dictionary, noted: Noted): Draft {
  const { transfer } = noted;
  const idOf = (entry: number | undefined) => (entry === undefined ? ZERO_ADDRESS_ID : addresses.id(entry));
  const [token, from, to] = [addresses.id(noted.token), idOf(noted.from), idOf(noted.to)];
  return {
    transfer,
    token,
    from,
    to,
    giver: from === ZERO_ADDRESS_ID ? undefined : holdings.note(idPair(token, from)),
    taker: to === ZERO_ADDRESS_ID ? undefined : holdings.note(idPair(token, to)),
    item: transfer.tokenId === undefined ? undefined : items.note(itemValue(token, transfer.tokenId)),
  };
}

interface ItemEntries {
  readonly giver: number | undefined;
  readonly taker: number | undefined;
}

function itemEntries({ items, itemHoldings }: TokenTables, { item, from, to, giver, taker }: Draft): ItemEntries {
  if (item === undefined) return { giver: undefined, taker: undefined };
  return {
    giver: giver === undefined ? undefined : itemHoldings.note(idPair(items.id(item), from)),
    taker: taker === undefined ? undefined : itemHoldings.note(idPair(items.id(item), to)),
  };
}

function finish({ holdings, items, itemHoldings }: TokenTables, one: Draft, entries: ItemEntries): ResolvedTransfer {
  const { transfer, token, from, to } = one;
  const idIn = (dictionary: Dictionary, entry: number | undefined) =>
    entry === undefined ? undefined : dictionary.id(entry);
  return {
    kind: transfer.kind,
    logIndex: transfer.logIndex,
    transactionIndex: transfer.transactionIndex,
    token,
    from,
    to,
    item: idIn(items, one.item) ?? 0,
    amount: transfer.amount,
    giver: idIn(holdings, one.giver),
    taker: idIn(holdings, one.taker),
    itemGiver: idIn(itemHoldings, entries.giver),
    itemTaker: idIn(itemHoldings, entries.taker),
  };
}

/** Ids are given out in ascending order, so what is above those known before the block is new in it. */
function newIn(transfers: readonly ResolvedTransfer[], known: { holdings: number; items: number }) {
  const newHoldings: { owner: number; holding: number }[] = [];
  const newItems: { token: number; item: number }[] = [];
  let [lastHolding, lastItem] = [known.holdings, known.items];
  for (const { token, from, to, giver, taker, item } of transfers) {
    for (const [owner, holding] of [
      [from, giver],
      [to, taker],
    ] as const) {
      if (holding === undefined || holding <= lastHolding) continue;
      newHoldings.push({ owner, holding });
      lastHolding = holding;
    }
    if (item <= lastItem) continue;
    newItems.push({ token, item });
    lastItem = item;
  }
  return { newHoldings, newItems };
}
