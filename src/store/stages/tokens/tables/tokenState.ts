import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import type { TokenKind } from "../../../../chain/token/tokenTransfer.ts";
import type { Codec } from "../../../rows/codec.ts";
import { ByteReader, ByteWriter, mustHave } from "../../../rows/encoding.ts";
import { readSigned, writeSigned } from "../../../rows/signedAmount.ts";
import { KINDS } from "./transferBody.ts";

/** A token according to its transfers. */
export interface TokenState {
  /** Standards of its transfers; more than one is suspicious. */
  readonly kinds: readonly TokenKind[];
  /** Positive balances, without the zero address. */
  readonly holders: number;
  /** Negative balances, which no honest token has. */
  readonly debtors: number;
  /** Minted minus burnt; may be negative. */
  readonly supply: bigint;
  /** Has minted by an ERC-20 Transfer, so its deposits are no mints. */
  readonly mints: boolean;
  /** Its first transfer was ERC-1155: holdings are per item. */
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

/** Kinds and a varint of up to 53 bits. */
export const MAX_HOLDERS_LENGTH = 9;

export function readHolders(bytes: Bytes): number {
  return new ByteReader(bytes, 1).varint();
}

/** From the first byte. */
export function readHasItems(bytes: Bytes): boolean {
  return (bytes[0]! & HAS_ITEMS) !== 0;
}

function kindBits(kinds: readonly TokenKind[]): number {
  return KINDS.reduce((bits, kind, i) => (kinds.includes(kind) ? bits | (1 << i) : bits), 0);
}

/** ERC-1155 if it has items, else the first other standard it emitted. */
export function typeOf({ kinds, hasItems }: Pick<TokenState, "kinds" | "hasItems">): TokenKind {
  const kind = hasItems ? "ERC-1155" : KINDS.find((one) => kinds.includes(one));
  return mustHave(kind, "the kind of a token");
}
