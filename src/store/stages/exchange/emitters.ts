import type { AddressBytes } from "../../../chain/encoding/bytes.ts";
import type { KeyedHash } from "../../dictionary/keyedHash.ts";
import { readWords } from "../../dictionary/keyedHash.ts";
import { WordTable } from "../../dictionary/wordTable.ts";

const ADDRESS_WORDS = 5;

export class Emitters {
  readonly #addresses: WordTable;
  /** Pool id; 0 if it is none, undefined if unknown. */
  readonly pools: (number | undefined)[] = [];
  readonly managers: (boolean | undefined)[] = [];

  constructor(hash: KeyedHash) {
    this.#addresses = new WordTable(hash, ADDRESS_WORDS);
  }

  entry(address: AddressBytes): number {
    readWords(address, 0, this.#addresses.lookupKey);
    return this.#addresses.note();
  }

  get size(): number {
    return this.#addresses.count;
  }

  clear(): void {
    this.#addresses.clear();
    this.pools.length = 0;
    this.managers.length = 0;
  }
}
