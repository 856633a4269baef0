import type { Bytes } from "../../chain/bytes.ts";
import { checksumAddress } from "../../chain/checksum.ts";
import { toHex } from "../../chain/hex.ts";
import type { AccountKinds } from "../../store/accountKinds.ts";
import type { Shape } from "../openapi/values.ts";
import type { AddressSchema } from "./schema/address.ts";

/** An address where another record names it. */
export function presentAddress(address: Bytes, kinds: AccountKinds): Shape<typeof AddressSchema> {
  const kind = kinds.get(toHex(address));
  return {
    hash: checksumAddress(address),
    name: kind?.name ?? null,
    is_contract: kind?.isContract ?? null,
    is_verified: null,
    is_scam: false,
    reputation: "ok",
    proxy_type: null,
    implementations: [],
    ens_domain_name: null,
    metadata: null,
    private_tags: [],
    public_tags: [],
    watchlist_names: [],
  };
}
