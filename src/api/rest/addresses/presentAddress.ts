import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import type { AddressInfo } from "../../../store/read/addressInfo.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { Shape } from "../../openapi/values.ts";
import type { AddressSchema } from "./addressSchema.ts";

type PresentedAddress = Shape<typeof AddressSchema>;

/** Address infos are immutable and shared by many records. */
const presented = new WeakMap<AddressInfo, PresentedAddress>();

export function presentAddress(address: Bytes, infos: AddressInfos): PresentedAddress {
  const info = infos.get(address);
  if (info === undefined) return present(address, undefined);
  const known = presented.get(info);
  if (known !== undefined) return known;
  const made = present(address, info);
  presented.set(info, made);
  return made;
}

function present(address: Bytes, info: AddressInfo | undefined): PresentedAddress {
  return {
    hash: checksumAddress(address),
    name: info?.name ?? null,
    is_contract: info?.runsCode ?? null,
    is_verified: info?.isVerified ?? false,
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
