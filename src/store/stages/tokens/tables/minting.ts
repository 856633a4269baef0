import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { isZero } from "../../../../chain/encoding/bytes.ts";
import type { TokenKind } from "../../../../chain/token/tokenTransfer.ts";

/** Fields that tell whether a transfer mints. */
export interface PossibleMint {
  readonly kind: TokenKind;
  readonly amount: Bytes;
  /** A native deposit or withdrawal. */
  readonly isWrap?: boolean | undefined;
}

/** A Transfer of a positive amount from the zero address. */
export function isErc20Mint({ kind, amount, isWrap }: PossibleMint, isFromZero: boolean): boolean {
  return kind === "ERC-20" && isFromZero && isWrap !== true && !isZero(amount);
}
