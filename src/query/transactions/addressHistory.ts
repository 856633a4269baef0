import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY, equalBytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import { Turn } from "../../std/turn.ts";
import type { FullTransaction, MinedTransaction } from "../../store/read/transactions.ts";
import type { ReadSession } from "../../store/session.ts";
import type { OrdinalList } from "../../store/write/list.ts";
import { NO_LIST } from "../../store/write/list.ts";
import type { BlockWindow } from "../blockWindow.ts";
import { readBlockWindow, searchBlockWindow } from "../blockWindow.ts";
import type { QueryContext } from "../context.ts";
import { knownHeight, readIndexedRange } from "../indexedRange.ts";
import { listedInput } from "./method.ts";

/** Bytes of input in one answer. */
export const MOST_INPUT = 32 << 20;

/** A transaction with all that it has, and the name of the function it called, where that is known. */
export interface HistoricTransaction {
  readonly mined: FullTransaction;
  readonly functionName: string | undefined;
}

export interface AddressHistory {
  readonly transactions: readonly HistoricTransaction[];
  /** The highest block known of. */
  readonly height: number;
}

/** Which of the transactions of an address: all, those it sent, or those that were sent to it or created it. */
export type Role = "any" | "from" | "to";

/** The transactions of an address in some blocks. */
export async function readAddressHistory(
  context: QueryContext,
  address: Bytes,
  role: Role,
  window: BlockWindow,
): Promise<AddressHistory> {
  const { mined, height } = await context.store.read(async (session) => {
    const found = await readTransactions(session, address, role, window);
    const height = knownHeight(context, await readIndexedRange(session));
    return { mined: await readFull(session, found), height };
  });
  const calls = mined.map(({ transaction }) => (transaction.to === null ? EMPTY : listedInput(transaction)));
  const names = await context.decoder.listedNames(calls);
  return { transactions: mined.map((each, at) => ({ mined: each, functionName: names[at] })), height };
}

async function readTransactions(
  session: ReadSession,
  address: Bytes,
  role: Role,
  window: BlockWindow,
): Promise<MinedTransaction[]> {
  const id = await session.addresses.id(address);
  const list: OrdinalList = id === undefined ? NO_LIST : session.addresses.transactions(id);
  if (role === "any") return session.transactions.at(await readBlockWindow(list, window));
  const read = (positions: readonly number[]) => session.transactions.at(positions);
  return searchBlockWindow(list, window, read, (mined) => hasRole(mined, address, role));
}

function hasRole({ transaction, receipt }: MinedTransaction, address: Bytes, role: "from" | "to"): boolean {
  if (role === "from") return equalBytes(transaction.from, address);
  return [transaction.to, receipt.contractAddress].some((party) => party !== null && equalBytes(party, address));
}

async function readFull(session: ReadSession, found: readonly MinedTransaction[]): Promise<FullTransaction[]> {
  const whole: FullTransaction[] = [];
  const turn = new Turn();
  let size = 0;
  for (const mined of found) {
    const read = await session.transactions.full(mined);
    size += read.transaction.input.length;
    if (size > MOST_INPUT) {
      throw new ChainError("limit_exceeded", `the transactions have over ${MOST_INPUT} bytes of input; ask for fewer`);
    }
    whole.push(read);
    await turn.giveWay();
  }
  return whole;
}
