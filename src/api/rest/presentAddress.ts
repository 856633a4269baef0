import type { Bytes } from "../../chain/bytes.ts";
import { checksumAddress } from "../../chain/checksum.ts";
import { toHex } from "../../chain/hex.ts";
import type { AccountKinds } from "../../store/accountKinds.ts";

/** An address where another record names it. */
export function presentAddress(address: Bytes, kinds: AccountKinds) {
  const kind = kinds.get(toHex(address));
  return {
    hash: checksumAddress(address),
    name: kind?.name ?? null,
    is_contract: kind?.isContract ?? null,
    is_verified: false,
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
