import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import type { AddressInfo } from "../../../store/read/addressInfo.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { Shape } from "../../openapi/values.ts";
import type { AddressSchema } from "./addressSchema.ts";

type PresentedAddress = Shape<typeof AddressSchema>;

/** What is known of an address stays one object as long as it is true, and many records name it. */
const presented = new WeakMap<AddressInfo, PresentedAddress>();

/** An address where another record names it. */
export function presentAddress(address: Bytes, kinds: AddressInfos): PresentedAddress {
  const kind = kinds.get(address);
  if (kind === undefined) return present(address, undefined);
  const known = presented.get(kind);
  if (known !== undefined) return known;
  const made = present(address, kind);
  presented.set(kind, made);
  return made;
}

function present(address: Bytes, kind: AddressInfo | undefined): PresentedAddress {
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
