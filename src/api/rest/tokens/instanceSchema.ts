import { anything, arrayOf, as, decimal, flag, nullToday, orNull, record, text, words } from "../../openapi/values.ts";
import { AddressSchema } from "../addresses/addressSchema.ts";
import { TokenSchema } from "./tokenSchema.ts";

const INSTANCE = {
  id: decimal("its id in the token"),
  owner: orNull(
    as(
      AddressSchema,
      "the [address](#address) that the last transfer gave an ERC-721 item to; null if it was burnt, and for an ERC-1155",
    ),
  ),
  token: as(TokenSchema, "the [token](#token)"),
  is_unique: flag("whether there is one of it: true for an ERC-721"),
  token_uri: orNull(
    text("what `tokenURI` or `uri` of the contract answers; null if it answers nothing, and in a list"),
  ),
  metadata: orNull(
    anything("the [metadata](tokens.md#metadata) that the URI has or leads to; null without any, and in a list"),
  ),
  metadata_error: orNull(text("why there are no metadata, in words; null if there are some, and in a list")),
  image_url: orNull(text("`image`, `image_url` or `image_data` of the metadata; null without one")),
  animation_url: orNull(text("`animation_url` of the metadata; null without one")),
  external_app_url: orNull(text("`external_url` of the metadata; null without one")),
  media_url: orNull(text("`animation_url`, otherwise `image_url`")),
  media_type: nullToday("media are not fetched"),
  thumbnails: nullToday("media are not fetched"),
};

export const InstanceSchema = record("Token instance", INSTANCE);

const itemKind = (description: string) => words(["ERC-721", "ERC-1155"], description);

export const OwnInstanceSchema = record("Owned instance", {
  ...INSTANCE,
  token_type: itemKind("`ERC-1155` for the item of an ERC-1155 token, otherwise `ERC-721`"),
  value: decimal("how many of it the address has"),
});

export const CollectionSchema = record("Collection", {
  token: as(TokenSchema, "the [token](#token)"),
  amount: decimal("how many ids of it the address has"),
  token_instances: arrayOf(OwnInstanceSchema, "up to 15 of them: [instances](#owned-instance)"),
});
