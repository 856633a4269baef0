import type { BlockNumber } from "../../chain/block/header.ts";
import type { Flavour } from "../../std/values.ts";

/**
 * Position of a transaction or log: block * 2^20 + slot. A transaction precedes its logs, so the transaction of a log
 * is the next one at or below it. Token transfers have a separate sequence of the same form.
 */
export type Position = Flavour<number, "position">;

/** Index in a list, 0 for the oldest. */
export type Ordinal = Flavour<number, "ordinal">;

const SLOTS = 2 ** 20;

export const MAX_SLOTS = SLOTS;

/** Larger blocks would exceed 2^53. */
export const MAX_BLOCK = 2 ** 33 - 2;

/** Logs with positions: the slots that transactions leave. Others are in no list. */
export const listableLogs = (transactions: number): number => SLOTS - transactions;

export const firstPosition = (block: BlockNumber): Position => block * SLOTS;

/** Transactions after the last listed log are consecutive. */
export const transactionPosition = (
  block: BlockNumber,
  index: number,
  firstLogIndex: number,
  transactions: number,
): Position => block * SLOTS + index + Math.min(firstLogIndex, listableLogs(transactions));

export const logPosition = (block: BlockNumber, transactionIndex: number, logIndex: number): Position =>
  block * SLOTS + transactionIndex + logIndex + 1;

export const blockOf = (position: Position): BlockNumber => Math.floor(position / SLOTS);

export const slotOf = (position: Position): number => position % SLOTS;

export const transactionKey = (block: number, index: number): number => firstPosition(block) + index;
