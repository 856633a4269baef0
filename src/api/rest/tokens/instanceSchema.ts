import { arrayOf, as, decimal, orNull, record, words } from "../../openapi/values.ts";
import { ITEM } from "./itemSchema.ts";
import { TokenSchema } from "./tokenSchema.ts";

const INSTANCE = { ...ITEM, token: as(TokenSchema, "the [token](#token)") };

export const InstanceSchema = record("Token instance", INSTANCE);

const itemKind = (description: string) => words(["ERC-721", "ERC-1155"], description);

export const OwnInstanceSchema = record("Owned instance", {
  ...INSTANCE,
  token_type: itemKind("`ERC-1155` for the item of an ERC-1155 token, otherwise `ERC-721`"),
  value: decimal("how many of it the address has"),
});

export const CollectionSchema = record("Collection", {
  token: as(TokenSchema, "the [token](#token)"),
  amount: orNull(
    decimal(
      "how many ids of it the address has; null for an ERC-1155 with over 1,000 ids, if the address has over 50,000 ids in all",
    ),
  ),
  token_instances: arrayOf(OwnInstanceSchema, "up to 15 of them: [instances](#owned-instance)"),
});
