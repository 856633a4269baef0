import type { BlockNumber } from "../../chain/block/header.ts";
import type { Flavour } from "../../std/values.ts";

/**
 * The place of a transaction or log as one integer that sorts and names its block. Transactions and logs share one
 * order: a transaction stands before its logs, so the transaction of a log is the next one at or below it. Token transfers have an order of their own, of the same form.
 */
export type Position = Flavour<number, "position">;

/** Where an entry stands in a list, from 0 for the oldest. */
export type Ordinal = Flavour<number, "ordinal">;

const SLOTS = 2 ** 20;

/** The most transactions of a block. */
export const MAX_SLOTS = SLOTS;

/** Above it positions would be integers that numbers do not have. */
export const MAX_BLOCK = 2 ** 33 - 2;

/** How many logs of a block have positions: as many as its transactions leave slots for. The others are in no list. */
export const listableLogs = (transactions: number): number => SLOTS - transactions;

export const firstPosition = (block: BlockNumber): Position => block * SLOTS;

/** Of a block with so many transactions. Those that come after all logs with positions stand side by side. */
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

/** The key of a transaction as one integer: its block and its index in it. */
export const transactionKey = (block: number, index: number): number => firstPosition(block) + index;
