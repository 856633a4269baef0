import type { TokenKind } from "../../chain/tokenTransfer.ts";
import type { TokenState } from "./tokenState.ts";

/** What a token is shown as: of several kinds that it emitted transfers of, the first in the order of the standards. */
export function typeOf({ kinds }: Pick<TokenState, "kinds">): TokenKind {
  return kinds[0]!;
}
