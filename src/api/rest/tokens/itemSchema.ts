import { anything, as, decimal, fields, flag, nullToday, orNull, text } from "../../openapi/values.ts";
import { AddressSchema } from "../addresses/addressSchema.ts";

/** Fields of a token instance. */
export const ITEM = {
  id: decimal("its id in the token"),
  owner: orNull(
    as(
      AddressSchema,
      "the [address](#address) that the last transfer gave an ERC-721 item to; null if it was burnt, and for an ERC-1155",
    ),
  ),
  is_unique: flag("whether there is one of it: true for an ERC-721"),
  token_uri: orNull(
    text(
      "what `tokenURI` or `uri` of the contract answers; null if it answers nothing, and in a list until the instance itself was requested",
    ),
  ),
  metadata: orNull(
    anything(
      "the [metadata](tokens.md#metadata) that the URI has or leads to; null without any, and in a list as above",
    ),
  ),
  metadata_error: orNull(text("why there are no metadata, in words; null if there are some, and in a list as above")),
  image_url: orNull(text("`image`, `image_url` or `image_data` of the metadata; null without one")),
  animation_url: orNull(text("`animation_url` of the metadata; null without one")),
  external_app_url: orNull(text("`external_url` of the metadata; null without one")),
  media_url: orNull(text("`animation_url`, otherwise `image_url`")),
  media_type: nullToday("media are not fetched"),
  thumbnails: nullToday("media are not fetched"),
};

/** An instance nested in a record that has the token. */
export const ItemSchema = fields("an instance without its token", ITEM);
