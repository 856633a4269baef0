import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { isZero } from "../../../../chain/encoding/bytes.ts";
import type { TokenKind } from "../../../../chain/token/tokenTransfer.ts";

/** As much of a transfer as tells whether it mints. */
export interface PossibleMint {
  readonly kind: TokenKind;
  readonly amount: Bytes;
  /** It is a deposit or a withdrawal of coins. */
  readonly isWrap?: boolean | undefined;
}

/** Whether a transfer mints as an ERC-20 token does: by a Transfer of more than nothing from the zero address. */
export function isErc20Mint({ kind, amount, isWrap }: PossibleMint, isFromZero: boolean): boolean {
  return kind === "ERC-20" && isFromZero && isWrap !== true && !isZero(amount);
}
