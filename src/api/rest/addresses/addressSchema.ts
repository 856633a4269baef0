import { address, always, empty, flag, nullToday, orNull, record, text } from "../../openapi/values.ts";

export const AddressSchema = record("Address", {
  hash: address("the address with its checksum"),
  name: orNull(
    text(
      "the name of the contract in its [verified](verification.md) source, otherwise the name of a [token](#token); null for any other address",
    ),
  ),
  is_contract: orNull(
    flag(
      "true for a [token](#token), for a contract deployed by a transaction or, if internal transactions are indexed, by another contract, and for an emitter of logs, also for an account that delegates (EIP-7702); otherwise false for a sender of transactions; null if the index has seen none of these",
    ),
  ),
  is_verified: flag("whether a source of this very contract is [verified](verification.md)"),
  is_scam: always(false, "always false"),
  reputation: always("ok", "always `ok`"),
  proxy_type: nullToday("it needs the code, which is read for a single account but not for every address in a list"),
  implementations: empty("always empty"),
  ens_domain_name: nullToday("name services are not supported"),
  metadata: nullToday("there is no source for it"),
  private_tags: empty("always empty"),
  public_tags: empty("always empty"),
  watchlist_names: empty("always empty"),
});
