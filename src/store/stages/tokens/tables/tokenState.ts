import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import type { TokenKind } from "../../../../chain/token/tokenTransfer.ts";
import type { Codec } from "../../../rows/codec.ts";
import { ByteReader, ByteWriter, mustHave } from "../../../rows/encoding.ts";
import { readSigned, writeSigned } from "../../../rows/signedAmount.ts";
import { KINDS } from "./transferBody.ts";

/** What the ledger of transfers says of a token. */
export interface TokenState {
  /** The standards whose transfers it emitted; more than one is a sign of a token to be wary of. */
  readonly kinds: readonly TokenKind[];
  /** Addresses with a positive balance, the zero address aside. */
  readonly holders: number;
  /** Addresses with a negative balance, which no honest token has. */
  readonly debtors: number;
  /** Minted less burnt. A token that lies can have less than nothing. */
  readonly supply: bigint;
  /** It has minted by an ERC-20 Transfer, as no wrapped coin does that logs deposits alone: its deposits are none. */
  readonly mints: boolean;
  /** Its first transfer was an ERC-1155's: addresses have its items, not the token as a whole. */
  readonly hasItems: boolean;
}

export const NO_TOKEN: TokenState = {
  kinds: [],
  holders: 0,
  debtors: 0,
  supply: 0n,
  mints: false,
  hasItems: false,
};

const MINTS = 1 << KINDS.length;
const HAS_ITEMS = MINTS << 1;

export const tokenState: Codec<TokenState> = {
  read(bytes) {
    const reader = new ByteReader(bytes);
    const bits = reader.byte();
    return {
      kinds: KINDS.filter((_, i) => bits & (1 << i)),
      holders: reader.varint(),
      debtors: reader.varint(),
      supply: readSigned(reader.string()),
      mints: (bits & MINTS) !== 0,
      hasItems: (bits & HAS_ITEMS) !== 0,
    };
  },
  write({ kinds, holders, debtors, supply, mints, hasItems }) {
    const writer = new ByteWriter(64);
    writer.byte(kindBits(kinds) | (mints ? MINTS : 0) | (hasItems ? HAS_ITEMS : 0));
    writer.varint(holders);
    writer.varint(debtors);
    writer.string(writeSigned(supply));
    return writer.copy();
  },
};

/** The bytes of a state that holders are read from: the kinds, and a varint of up to 53 bits. */
export const MAX_HOLDERS_LENGTH = 9;

export function readHolders(bytes: Bytes): number {
  return new ByteReader(bytes, 1).varint();
}

/** Whether a token counts item by item, by the first byte of its state. */
export function readHasItems(bytes: Bytes): boolean {
  return (bytes[0]! & HAS_ITEMS) !== 0;
}

function kindBits(kinds: readonly TokenKind[]): number {
  return KINDS.reduce((bits, kind, i) => (kinds.includes(kind) ? bits | (1 << i) : bits), 0);
}

/** What a token is shown as: ERC-1155 where it has items, else the first of the other standards whose transfers it emitted. */
export function typeOf({ kinds, hasItems }: Pick<TokenState, "kinds" | "hasItems">): TokenKind {
  const kind = hasItems ? "ERC-1155" : KINDS.find((one) => kinds.includes(one));
  return mustHave(kind, "the kind of a token");
}
