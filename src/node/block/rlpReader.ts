import type { Bytes } from "../../chain/encoding/bytes.ts";

const STRING = 0x80;
const LONG_STRING = 0xb7;
const LIST = 0xc0;
const LONG_LIST = 0xf7;

/** Reads the items of RLP that we wrote ourselves, one after the other and without copies. */
export class RlpReader {
  readonly #bytes: Bytes;
  readonly #end: number;
  #at: number;
  #itemEnd = 0;

  constructor(bytes: Bytes, at = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = at;
    this.#end = end;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  skip(): void {
    this.#open();
    this.#at = this.#itemEnd;
  }

  string(): Bytes {
    const start = this.#open();
    this.#at = this.#itemEnd;
    return this.#bytes.subarray(start, this.#itemEnd);
  }

  /** Of the list that is next, which is passed. */
  enter(): RlpReader {
    const start = this.#open();
    this.#at = this.#itemEnd;
    return new RlpReader(this.#bytes, start, this.#itemEnd);
  }

  /** Returns where the content of the next item begins. */
  #open(): number {
    const first = this.#bytes[this.#at]!;
    if (first < STRING) return this.#content(this.#at, 1);
    if (first <= LONG_STRING) return this.#content(this.#at + 1, first - STRING);
    if (first < LIST) return this.#long(first - LONG_STRING);
    if (first <= LONG_LIST) return this.#content(this.#at + 1, first - LIST);
    return this.#long(first - LONG_LIST);
  }

  #long(sizeOfLength: number): number {
    const start = this.#at + 1 + sizeOfLength;
    let length = 0;
    for (let at = this.#at + 1; at < start; at++) length = length * 256 + this.#bytes[at]!;
    return this.#content(start, length);
  }

  #content(start: number, length: number): number {
    this.#itemEnd = start + length;
    return start;
  }
}
