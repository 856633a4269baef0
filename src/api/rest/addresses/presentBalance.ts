import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import type { TokenBalance } from "../../../query/tokens/balances.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { Shape } from "../../openapi/values.ts";
import { presentItem } from "../tokens/presentInstance.ts";
import { presentToken } from "../tokens/presentToken.ts";
import type { TokenBalanceSchema } from "../tokens/tokenSchema.ts";

/** ERC-1155 items have no single owner. */
const NOBODY: AddressInfos = new Map();

export function presentBalance(
  { token, tokenId, amount, source, item }: TokenBalance,
  rates: Rates,
): Shape<typeof TokenBalanceSchema> {
  return {
    value: amount.toString(),
    value_source: source,
    token: presentToken(token, rates),
    token_id: tokenId === undefined ? null : uintToBigInt(tokenId).toString(),
    token_instance: item === undefined ? null : presentItem(item, NOBODY),
  };
}
