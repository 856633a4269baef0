import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { SINGLETON_KEY_BYTES } from "../../../chain/exchange/singleton.ts";
import type { KeyedHash } from "../../dictionary/keyedHash.ts";
import { readWords } from "../../dictionary/keyedHash.ts";
import { WordTable } from "../../dictionary/wordTable.ts";

const ADDRESS_WORDS = 5;

/** Emitters of exchange logs: addresses, and V4 pools by their keys. */
export class Emitters {
  readonly #addresses: WordTable;
  readonly #keys: WordTable;
  /** Pool id; 0 if it is none, undefined if unknown. */
  readonly pools: (number | undefined)[] = [];
  readonly managers: (boolean | undefined)[] = [];

  constructor(hash: KeyedHash) {
    this.#addresses = new WordTable(hash, ADDRESS_WORDS);
    this.#keys = new WordTable(hash, SINGLETON_KEY_BYTES / 4);
  }

  /** Even for addresses, odd for keys. */
  entry(key: Bytes): number {
    const isKey = key.length === SINGLETON_KEY_BYTES;
    const table = isKey ? this.#keys : this.#addresses;
    readWords(key, 0, table.lookupKey);
    return 2 * table.note() + (isKey ? 1 : 0);
  }

  get size(): number {
    return this.#addresses.count + this.#keys.count;
  }

  clear(): void {
    this.#addresses.clear();
    this.#keys.clear();
    this.pools.length = 0;
    this.managers.length = 0;
  }
}
