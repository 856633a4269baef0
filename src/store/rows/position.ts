/**
 * The place of a transaction or log as one integer that sorts and names its block. Transactions and logs share one
 * order: a transaction stands before its logs, so the transaction of a log is the next one at or below it.
 */
const SLOTS = 2 ** 20;

/** The most transactions of a block. */
export const MAX_SLOTS = SLOTS;

/** Above it positions would be integers that numbers do not have. */
export const MAX_BLOCK = 2 ** 33 - 2;

/** How many logs of a block have positions: as many as its transactions leave slots for. The others are in no list. */
export const listableLogs = (transactions: number): number => SLOTS - transactions;

export const firstPosition = (block: number): number => block * SLOTS;

/** Of a block with so many transactions. Those that come after all logs with positions stand side by side. */
export const transactionPosition = (
  block: number,
  index: number,
  firstLogIndex: number,
  transactions: number,
): number => block * SLOTS + index + Math.min(firstLogIndex, listableLogs(transactions));

export const logPosition = (block: number, transactionIndex: number, logIndex: number): number =>
  block * SLOTS + transactionIndex + logIndex + 1;

export const blockOf = (position: number): number => Math.floor(position / SLOTS);

export const slotOf = (position: number): number => position % SLOTS;
