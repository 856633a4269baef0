import { address, always, empty, flag, nullToday, orNull, record, text } from "../../openapi/values.ts";

export const AddressSchema = record("Address", {
  hash: address("the address with its checksum"),
  name: orNull(text("what a [token](#token) calls itself; null for all else")),
  is_contract: orNull(
    flag(
      "true for a [token](#token) and for what was deployed by a transaction; else false for what sends transactions, true for what emits logs; null where the index has seen none of these",
    ),
  ),
  is_verified: always(false, "always false: contract source is not verified"),
  is_scam: always(false, "always false"),
  reputation: always("ok", "always `ok`"),
  proxy_type: nullToday("it needs the code, which is asked for one account and not for every address of a list"),
  implementations: empty("always empty"),
  ens_domain_name: nullToday("no name service is read"),
  metadata: nullToday("there is no source of it"),
  private_tags: empty("always empty"),
  public_tags: empty("always empty"),
  watchlist_names: empty("always empty"),
});
