import type { Bytes } from "../../chain/bytes.ts";
import type { TokenKind } from "../../chain/tokenTransfer.ts";
import { ByteReader, ByteWriter, mustHave } from "../encoding.ts";
import type { Codec } from "../mutableRows.ts";
import { readSigned, writeSigned } from "./signedAmount.ts";
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
}

export const NO_TOKEN: TokenState = { kinds: [], holders: 0, debtors: 0, supply: 0n };

export const tokenState: Codec<TokenState> = {
  read(bytes) {
    const reader = new ByteReader(bytes);
    const bits = reader.byte();
    return {
      kinds: KINDS.filter((_, i) => bits & (1 << i)),
      holders: reader.varint(),
      debtors: reader.varint(),
      supply: readSigned(reader.string()),
    };
  },
  write({ kinds, holders, debtors, supply }) {
    const writer = new ByteWriter(64);
    writer.byte(kindBits(kinds));
    writer.varint(holders);
    writer.varint(debtors);
    writer.string(writeSigned(supply));
    return writer.copy();
  },
};

/** The bytes of a state that holders are read from: the kinds, and a varint of up to 53 bits. */
export const LONGEST_HOLDERS = 9;

export function readHolders(bytes: Bytes): number {
  return new ByteReader(bytes, 1).varint();
}

/** The first byte of a state. */
export function kindBits(kinds: readonly TokenKind[]): number {
  return KINDS.reduce((bits, kind, i) => (kinds.includes(kind) ? bits | (1 << i) : bits), 0);
}

/** What a token is shown as: of several kinds that it emitted transfers of, the first in the order of the standards. */
export function typeOf({ kinds }: Pick<TokenState, "kinds">): TokenKind {
  return mustHave(
    KINDS.find((kind) => kinds.includes(kind)),
    "the kind of a token",
  );
}
