import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { ItemHolder } from "../../../query/tokens/itemHolders.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { Shape } from "../../openapi/values.ts";
import { presentAddress } from "../addresses/presentAddress.ts";
import type { HolderSchema } from "./tokenSchema.ts";

export function presentHolder(
  { holder, amount, source, tokenId }: ItemHolder,
  addresses: AddressInfos,
): Shape<typeof HolderSchema> {
  return {
    address: presentAddress(holder, addresses),
    value: amount.toString(),
    value_source: source,
    token_id: tokenId === undefined ? null : uintToBigInt(tokenId).toString(),
  };
}
