import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY, equalBytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { MinedTransaction } from "../../store/read/transactions.ts";
import type { Position } from "../../store/rows/position.ts";
import { transactionKey } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import { isCall } from "../decode/method.ts";
import { UNKNOWN_HEIGHT } from "../indexedRange.ts";
import { readTokenRange } from "../stageRanges.ts";
import type { TransactionType } from "./transactionTypes.ts";
import { typesOf } from "./transactionTypes.ts";
import { addressesOf, viewMined } from "./transactionView.ts";

/** Types and direction. */
export interface TransactionSelection {
  readonly types?: readonly TransactionType[] | undefined;
  readonly party?: { readonly address: Bytes; readonly role: "from" | "to" } | undefined;
  /** Any of these selectors. */
  readonly selectors?: ReadonlySet<Hex> | undefined;
}

const NEED_ADDRESSES: readonly TransactionType[] = ["contract_call", "token_creation"];
const NEED_TRANSFERS: readonly TransactionType[] = ["token_transfer", "token_creation"];

/** Keeps the order. */
export async function selectTransactions(
  session: ReadSession,
  positions: readonly Position[],
  { types, party, selectors }: TransactionSelection,
): Promise<Position[]> {
  const mined = await session.transactions.at(positions);
  const called = selectors === undefined ? mined : await selectCalls(session, mined, selectors);
  const own = party === undefined ? called : called.filter((each) => hasRole(each, party.address, party.role));
  const wanted = types === undefined ? own : await selectTypes(session, own, types);
  return wanted.map(({ position }) => position);
}

/** Plain transfers never match. */
async function selectCalls(
  session: ReadSession,
  mined: readonly MinedTransaction[],
  selectors: ReadonlySet<Hex>,
): Promise<MinedTransaction[]> {
  const fitting = mined.filter(({ transaction: { input, selector } }) => {
    return selectors.has(toHex((input ?? selector ?? EMPTY).subarray(0, 4)));
  });
  const addresses = await session.addresses.infos(fitting.flatMap(({ transaction: { to } }) => to ?? []));
  return fitting.filter(({ transaction }) => isCall(transaction, addresses));
}

async function selectTypes(
  session: ReadSession,
  mined: readonly MinedTransaction[],
  types: readonly TransactionType[],
): Promise<MinedTransaction[]> {
  const needs = (some: readonly TransactionType[]) => types.some((type) => some.includes(type));
  const views = mined.map((each) => viewMined(each, UNKNOWN_HEIGHT));
  const addresses = needs(NEED_ADDRESSES) ? await session.addresses.infos(views.flatMap(addressesOf)) : new Map();
  const counts = needs(NEED_TRANSFERS) ? await countTransfers(session, mined) : undefined;
  return mined.filter((each, at) => {
    const transferCount = counts && (counts.get(keyOf(each)) ?? 0);
    return typesOf({ ...views[at]!, transferCount }, addresses).some((type) => types.includes(type));
  });
}

/** Refuses if the tokens stage is behind. */
async function countTransfers(session: ReadSession, mined: readonly MinedTransaction[]) {
  await readTokenRange(session);
  return session.tokens.transfers.counts(mined.map(keyOf));
}

const keyOf = ({ block, index }: MinedTransaction) => transactionKey(block.header.number, index);

function hasRole({ transaction, receipt }: MinedTransaction, address: Bytes, role: "from" | "to"): boolean {
  if (role === "from") return equalBytes(transaction.from, address);
  return [transaction.to, receipt.contractAddress].some((party) => party !== null && equalBytes(party, address));
}
