import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { ItemMetadata } from "../../../query/itemMetadata.ts";
import type { TokenItem } from "../../../query/tokens/items.ts";
import type { Collection, OwnItem } from "../../../query/tokens/ownItems.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { Shape } from "../../openapi/values.ts";
import { presentAddress } from "../addresses/presentAddress.ts";
import type { CollectionSchema, InstanceSchema, OwnInstanceSchema } from "./instanceSchema.ts";
import type { ItemSchema } from "./itemSchema.ts";
import { presentToken } from "./presentToken.ts";

export function presentInstance(
  item: TokenItem,
  addresses: AddressInfos,
  metadata?: ItemMetadata,
): Shape<typeof InstanceSchema> {
  return { ...presentItem(item, addresses, metadata), token: presentToken(item.token) };
}

export function presentItem(
  item: TokenItem,
  addresses: AddressInfos,
  metadata = item.metadata,
): Shape<typeof ItemSchema> {
  const { tokenId, owner, isUnique } = item;
  return {
    id: uintToBigInt(tokenId).toString(),
    owner: owner === undefined ? null : presentAddress(owner, addresses),
    is_unique: isUnique,
    ...presentMetadata(metadata),
    media_type: null,
    thumbnails: null,
  };
}

function presentMetadata(metadata: ItemMetadata | undefined) {
  const { json = null } = metadata ?? {};
  const textOf = (...names: string[]) => names.map((name) => json?.[name]).find(isText) ?? null;
  const [image, animation] = [textOf("image", "image_url", "image_data"), textOf("animation_url")];
  return {
    token_uri: metadata?.uri ?? null,
    metadata: json,
    metadata_error: metadata?.problem ?? null,
    image_url: image,
    animation_url: animation,
    external_app_url: textOf("external_url"),
    media_url: animation ?? image,
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
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
    amount: count === null ? null : String(count),
    token_instances: items.map((item) => presentOwnInstance(item, addresses)),
  };
}
