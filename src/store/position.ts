/**
 * The place of a transaction or log as one integer that sorts and names its block. Transactions and logs share one
 * order: a transaction stands before its logs, so the transaction of a log is the next one at or below it.
 */
const SLOTS = 2 ** 20;

/** More transactions and logs than this do not fit one block. */
export const MAX_SLOTS = SLOTS;

/** Above it positions would be integers that numbers do not have. */
export const MAX_BLOCK = 2 ** 33 - 2;

export const firstPosition = (block: number): number => block * SLOTS;

export const transactionPosition = (block: number, index: number, firstLogIndex: number): number =>
  block * SLOTS + index + firstLogIndex;

export const logPosition = (block: number, transactionIndex: number, logIndex: number): number =>
  block * SLOTS + transactionIndex + logIndex + 1;

export const blockOf = (position: number): number => Math.floor(position / SLOTS);

export const slotOf = (position: number): number => position % SLOTS;
