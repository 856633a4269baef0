/** Keys are 52 bits, uniformly distributed. */
export const KEY_SPACE = 2 ** 52;

/**
 * Values by key: a small table of rows, and packed runs. Values ascend with the chain; several may have the same key.
 */
export interface KeyTable {
  readonly name: string;
  /** 7-bit digits of a packed value. */
  readonly valueDigits: number;
}

/** Positions have up to 53 bits, ids and block numbers up to 35. */
const [POSITION_DIGITS, ID_DIGITS] = [8, 5];

export const TRANSACTION_KEYS: KeyTable = { name: "tx_hash", valueDigits: POSITION_DIGITS };
export const BLOCK_KEYS: KeyTable = { name: "block_hash", valueDigits: ID_DIGITS };
export const BLOB_KEYS: KeyTable = { name: "blob_hash", valueDigits: POSITION_DIGITS };

/** Ids of a dictionary by the keys of its values. */
export const dictionaryKeys = (dictionary: string): KeyTable => ({
  name: `${dictionary}_hash`,
  valueDigits: ID_DIGITS,
});

/** The tables of a key table. */
export const keyTableNames = (name: string): string[] => [name, `${name}_run`, `${name}_body`];

export interface RunSizes {
  /** Rows that are packed into a run. */
  readonly rows: number;
  /** Runs of one level that are merged into one of the next, which is so many times larger. */
  readonly ratio: number;
  /** Entries merged at once, about 3 ms. */
  readonly piece: number;
  /** Entries merged per commit, and beside that for each added one. An entry is merged once per level. */
  readonly paceBase: number;
  readonly paceFactor: number;
  /** Entries of a table merged inside a commit; the others are merged after it, a piece at a time. */
  readonly perCommit: number;
}

export const RUN_SIZES: RunSizes = {
  rows: 8192,
  ratio: 4,
  piece: 8192,
  paceBase: 2048,
  paceFactor: 6,
  perCommit: 16_384,
};
