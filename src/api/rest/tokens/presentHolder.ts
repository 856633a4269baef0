import type { Holder } from "../../../query/tokens/holders.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { Shape } from "../../openapi/values.ts";
import { presentAddress } from "../addresses/presentAddress.ts";
import type { HolderSchema } from "./tokenSchema.ts";

export function presentHolder({ holder, amount, source }: Holder, addresses: AddressInfos): Shape<typeof HolderSchema> {
  return {
    address: presentAddress(holder, addresses),
    value: amount.toString(),
    value_source: source,
    token_id: null,
  };
}
