import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { isZero } from "../../../../chain/encoding/bytes.ts";
import type { OmittedTransfers, TokenTransfer } from "../../../../chain/token/tokenTransfer.ts";
import { settleAll } from "../../../../std/async.ts";
import type { Dictionary } from "../../../dictionary/dictionary.ts";
import type { Reader } from "../../../engine/database.ts";
import type { AddressId } from "../../../rows/ids.ts";
import type { TokenTables } from "./tokenTables.ts";
import { itemValue } from "./tokenTables.ts";
import type { StoredTransfer } from "./transferBody.ts";

/** In chain order. */
export interface BlockTransfers {
  readonly number: number;
  readonly transfers: readonly TokenTransfer[];
  readonly omitted?: OmittedTransfers;
}

/** With holding entries; undefined for the zero address. */
export interface ResolvedTransfer extends StoredTransfer {
  readonly sender: number | undefined;
  readonly recipient: number | undefined;
  readonly itemSender: number | undefined;
  readonly itemRecipient: number | undefined;
}

export interface ResolvedBlock {
  readonly number: number;
  readonly transfers: readonly ResolvedTransfer[];
  /** Items with an id up to and including the block. */
  readonly items: number;
}

/** The zero address in this stage; dictionaries start at 1. */
export const ZERO_ADDRESS_ID = 0;
export const NO_ITEM = 0;

/** Dictionary entries; undefined for the zero address, which a deposit implies without naming it. */
interface PendingTransfer {
  readonly transfer: TokenTransfer;
  readonly token: AddressId;
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** Assigns ids for the transfers of some blocks, loads their tokens and notes their holdings. */
export async function resolveTransfers(
  db: Reader,
  tables: TokenTables,
  addresses: Dictionary<"address id">,
  itemsBefore: number,
  blocks: readonly BlockTransfers[],
): Promise<ResolvedBlock[]> {
  const pending = blocks.map(({ transfers }) => transfers.map((transfer) => addAddresses(transfer, addresses)));
  await addresses.loadKnown(db);
  const withItems = pending.map((transfers) => {
    const items = transfers.map(({ transfer, token }) => addItem(tables, transfer, addresses.id(token)));
    return { items, pending: tables.items.noted };
  });
  const tokens = new Set(pending.flatMap((transfers) => transfers.map(({ token }) => addresses.id(token))));
  const marks = withItems.map((block) => block.pending);
  const [given] = await settleAll([tables.items.load(db, itemsBefore + 1, marks), tables.tokens.load(db, [...tokens])]);
  const resolved = blocks.map(({ number }, at) => ({
    number,
    transfers: pending[at]!.map((one, index) => resolve(tables, addresses, one, withItems[at]!.items[index])),
    items: itemsBefore + given[at]!,
  }));
  return resolved;
}

function addAddresses(transfer: TokenTransfer, addresses: Dictionary<"address id">): PendingTransfer {
  const note = (party: Bytes) => (isZero(party) ? undefined : addresses.note(party));
  return { transfer, token: addresses.note(transfer.token), from: note(transfer.from), to: note(transfer.to) };
}

function addItem({ items }: TokenTables, { tokenId }: TokenTransfer, token: AddressId): number | undefined {
  return tokenId === undefined ? undefined : items.note(itemValue(token, tokenId));
}

function resolve(
  { holdings, items, itemHoldings }: TokenTables,
  addresses: Dictionary<"address id">,
  pending: PendingTransfer,
  itemEntry: number | undefined,
): ResolvedTransfer {
  const { kind, logIndex, transactionIndex, amount, isWrap = false } = pending.transfer;
  const token = addresses.id(pending.token);
  const from = pending.from === undefined ? ZERO_ADDRESS_ID : addresses.id(pending.from);
  const to = pending.to === undefined ? ZERO_ADDRESS_ID : addresses.id(pending.to);
  const item = itemEntry === undefined ? NO_ITEM : items.id(itemEntry);
  const holding = (party: number) => (party === ZERO_ADDRESS_ID ? undefined : holdings.note(party, token));
  const itemHolding = (party: number) =>
    party === ZERO_ADDRESS_ID || item === NO_ITEM ? undefined : itemHoldings.note(party, item);
  return {
    kind,
    logIndex,
    transactionIndex,
    token,
    from,
    to,
    item,
    amount,
    isWrap,
    sender: holding(from),
    recipient: holding(to),
    itemSender: itemHolding(from),
    itemRecipient: itemHolding(to),
  };
}
