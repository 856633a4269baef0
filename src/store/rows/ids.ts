import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Slab } from "../../std/bytes.ts";
import type { Flavour } from "../../std/values.ts";

/** Dictionary id, a nominal type per dictionary. */
export type Id<D extends string> = Flavour<number, D>;

export type AddressId = Id<"address id">;

export type SignatureId = Id<"signature id">;

export type MinerId = Id<"miner id">;

export type ItemId = Id<"item id">;

export type TraceAddressId = Id<"trace address id">;

/** Assigns ids: `note` returns an entry, which has its id once the batch is loaded. */
export interface IdSource<D extends string> {
  note(value: Bytes, at?: number): number;
  id(entry: number): Id<D>;
}

/** Iterates ids in the order the values were noted. */
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

  peek(ahead: number): Id<D> {
    return this.#dictionary.id(this.#entries[this.#at + ahead]!);
  }

  next(): Id<D> {
    return this.#dictionary.id(this.#entries[this.#at++]!);
  }
}

/** Ids of a block's values, each kind in row order. */
export interface BodyIds {
  /** Sender, recipient and created contract per transaction. */
  readonly parties: IdCursor<"address id">;
  readonly emitters: IdCursor<"address id">;
  readonly topics: IdCursor<"address id">;
  readonly signatures: IdCursor<"signature id">;
}

/** Resolves ids to values, possibly later: results are complete once loaded. */
export interface IdResolver {
  readonly slab: Slab;
  address(id: number): Bytes;
  fillAddress(target: Bytes, at: number, id: number): void;
  fillSignature(target: Bytes, at: number, id: number): void;
}
