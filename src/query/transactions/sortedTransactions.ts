import type { Bytes } from "../../chain/encoding/bytes.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { MinedTransaction } from "../../store/read/transactions.ts";
import type { Position } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import { UNKNOWN_HEIGHT } from "../indexedRange.ts";
import type { Order } from "../listWalk.ts";
import { positionsAfter } from "../listWalk.ts";
import type { ReadParts } from "../readInParts.ts";
import type { TransactionSelection } from "./selectTransactions.ts";
import { selectTransactions } from "./selectTransactions.ts";
import { feesOf } from "./transactionFees.ts";
import { viewMined } from "./transactionView.ts";

export type TransactionSort = "value" | "fee";

/** There is no index by value or fee. */
export const MAX_SORTED = 10_000;

const BATCH_SIZE = 200;

interface Ranked {
  readonly position: Position;
  readonly rank: bigint;
}

/** Ties stay newest first. Undefined if there are too many. */
export async function sortTransactions(
  parts: ReadParts,
  address: Bytes,
  selection: TransactionSelection,
  { sort, order }: { readonly sort: TransactionSort; readonly order: Order },
): Promise<Position[] | undefined> {
  const ranked: Ranked[] = [];
  let after: Position | undefined;
  for (let isOver = false; !isOver; ) {
    const isShort = await parts.read(async (session) => {
      const id = await session.addresses.id(address);
      const list = id === undefined ? undefined : session.addresses.transactions(id);
      if (list === undefined) return true;
      if ((await list.count()) > MAX_SORTED) return undefined;
      const positions = await positionsAfter(list, "desc", after, BATCH_SIZE);
      after = positions.at(-1) ?? after;
      ranked.push(...(await rank(session, positions, selection, sort)));
      return positions.length < BATCH_SIZE;
    });
    if (isShort === undefined) return undefined;
    isOver = isShort;
  }
  const sign = order === "asc" ? 1 : -1;
  ranked.sort((one, other) => (one.rank === other.rank ? 0 : one.rank < other.rank ? -sign : sign));
  return ranked.map(({ position }) => position);
}

async function rank(
  session: ReadSession,
  positions: readonly Position[],
  selection: TransactionSelection,
  sort: TransactionSort,
): Promise<Ranked[]> {
  const mined = await session.transactions.at(await selectTransactions(session, positions, selection));
  return mined.map((each) => ({ position: each.position, rank: rankOf(each, sort) }));
}

const rankOf = (mined: MinedTransaction, sort: TransactionSort): bigint =>
  sort === "value" ? uintToBigInt(mined.transaction.value) : feesOf(viewMined(mined, UNKNOWN_HEIGHT)).fee;
