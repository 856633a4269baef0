import type { AddressBytes } from "../../../chain/encoding/bytes.ts";
import type { KeyedHash } from "../../dictionary/keyedHash.ts";
import { readWords } from "../../dictionary/keyedHash.ts";
import { WordTable } from "../../dictionary/wordTable.ts";

const ADDRESS_WORDS = 5;

/** What is known of addresses that emitted logs of the form of an exchange's, without a string for each of them. */
export class Emitters {
  readonly #addresses: WordTable;
  /** The pool at an address; 0 where it is none, undefined where that is to be found out. */
  readonly pools: (number | undefined)[] = [];
  /** Whether it manages positions. */
  readonly managers: (boolean | undefined)[] = [];

  constructor(hash: KeyedHash) {
    this.#addresses = new WordTable(hash, ADDRESS_WORDS);
  }

  /** Stands for the address until the next clear. */
  entry(address: AddressBytes): number {
    readWords(address, 0, this.#addresses.sought);
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
