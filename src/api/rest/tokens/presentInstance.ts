import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { TokenItem } from "../../../query/tokens/items.ts";
import type { Collection, OwnItem } from "../../../query/tokens/ownItems.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { Shape } from "../../openapi/values.ts";
import { presentAddress } from "../addresses/presentAddress.ts";
import type { CollectionSchema, InstanceSchema, OwnInstanceSchema } from "./instanceSchema.ts";
import { presentToken } from "./presentToken.ts";

export function presentInstance(
  { token, tokenId, owner, isUnique }: TokenItem,
  addresses: AddressInfos,
): Shape<typeof InstanceSchema> {
  return {
    id: uintToBigInt(tokenId).toString(),
    owner: owner === undefined ? null : presentAddress(owner, addresses),
    token: presentToken(token),
    is_unique: isUnique,
    metadata: null,
    image_url: null,
    animation_url: null,
    external_app_url: null,
    media_url: null,
    media_type: null,
    thumbnails: null,
  };
}

export function presentOwnInstance(item: OwnItem, addresses: AddressInfos): Shape<typeof OwnInstanceSchema> {
  return { ...presentInstance(item, addresses), token_type: item.kind, value: item.amount.toString() };
}

export function presentCollection(
  { token, count, items }: Collection,
  addresses: AddressInfos,
): Shape<typeof CollectionSchema> {
  return {
    token: presentToken(token),
    amount: String(count),
    token_instances: items.map((item) => presentOwnInstance(item, addresses)),
  };
}
