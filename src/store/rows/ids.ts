import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Slab } from "../../std/bytes.ts";
import type { Flavour } from "../../std/values.ts";

/** The small integer that stands for a value of a dictionary in rows and lists. Every dictionary has ids of its own. */
export type Id<D extends string> = Flavour<number, D>;

/** Of an address, and so of a token: it is the address of its contract. */
export type AddressId = Id<"address id">;

/** Of the first topic of a log; 0 where there is none. */
export type SignatureId = Id<"signature id">;

export type MinerId = Id<"miner id">;

/** Of a token and an id in it. */
export type ItemId = Id<"item id">;

/** Of an address that a trace names. */
export type TraceAddressId = Id<"trace address id">;

/** Gives out ids: `note` answers an entry, which has its id once the values of a batch are loaded. */
export interface IdSource<D extends string> {
  note(value: Bytes, at?: number): number;
  id(entry: number): Id<D>;
}

/** Walks over the ids of entries in the order they were noted. */
export class IdCursor<D extends string> {
  readonly #dictionary: IdSource<D>;
  readonly #entries: number[] = [];
  #at = 0;

  constructor(dictionary: IdSource<D>) {
    this.#dictionary = dictionary;
  }

  note(value: Bytes, at = 0): void {
    this.#entries.push(this.#dictionary.note(value, at));
  }

  /** The id of an entry ahead, without moving. */
  peek(ahead: number): Id<D> {
    return this.#dictionary.id(this.#entries[this.#at + ahead]!);
  }

  next(): Id<D> {
    return this.#dictionary.id(this.#entries[this.#at++]!);
  }
}

/** The ids of everything a block names that has one, each kind in the order in which rows hold it. */
export interface BodyIds {
  /** Sender, recipient and created contract of each transaction. */
  readonly parties: IdCursor<"address id">;
  readonly emitters: IdCursor<"address id">;
  readonly topics: IdCursor<"address id">;
  readonly signatures: IdCursor<"signature id">;
}

/** Turns ids back into values, maybe later than it is asked: what it answers or fills is complete once it has loaded them. */
export interface IdResolver {
  /** Memory for what is decoded with its ids. */
  readonly slab: Slab;
  address(id: number): Bytes;
  fillAddress(target: Bytes, at: number, id: number): void;
  fillSignature(target: Bytes, at: number, id: number): void;
}
