import type { Flavour } from "../../std/flavour.ts";

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
