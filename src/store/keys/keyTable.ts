/** Keys are 52 bits, uniformly distributed. */
export const KEY_SPACE = 2 ** 52;

/**
 * Values by key: a small table of rows, and packed runs. Values ascend with the chain; several may have the same key.
 */
export interface KeyTable {
  readonly name: string;
  /** 7-bit digits of a packed value. */
  readonly valueDigits: number;
  /** The same of its fingerprint: more bits of the hash that the key is of, which tell what has the same key. 0 for none. */
  readonly fingerprintDigits: number;
}

/** Positions have up to 53 bits, ids and block numbers up to 35. */
const [POSITION_DIGITS, ID_DIGITS] = [8, 5];

/** 42 bits, 94 with the key: of a billion values two have the same with a probability of 3e-11. */
const FINGERPRINT_DIGITS = 6;
export const FINGERPRINTS = 2 ** (7 * FINGERPRINT_DIGITS);

export const TRANSACTION_KEYS: KeyTable = { name: "tx_hash", valueDigits: POSITION_DIGITS, fingerprintDigits: 0 };
export const BLOCK_KEYS: KeyTable = { name: "block_hash", valueDigits: ID_DIGITS, fingerprintDigits: 0 };
export const BLOB_KEYS: KeyTable = { name: "blob_hash", valueDigits: POSITION_DIGITS, fingerprintDigits: 0 };

/** Ids of a dictionary by the keys of its values. */
export const dictionaryKeys = (dictionary: string): KeyTable => ({
  name: `${dictionary}_hash`,
  valueDigits: ID_DIGITS,
  fingerprintDigits: FINGERPRINT_DIGITS,
});

/** Columns of the rows. */
export const rowColumns = ({ fingerprintDigits }: KeyTable): readonly string[] =>
  fingerprintDigits > 0 ? ["prefix", "value", "fingerprint"] : ["prefix", "value"];

/** The same for a SELECT, with a fingerprint in any case. */
export const entryColumns = ({ fingerprintDigits }: KeyTable): string =>
  fingerprintDigits > 0 ? "prefix, value, fingerprint" : "prefix, value, 0";

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
