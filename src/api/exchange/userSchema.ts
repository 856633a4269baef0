import { POOL_TYPES } from "../../chain/exchange/exchangeFields.ts";
import { Type } from "../openapi/type.ts";
import {
  address,
  arrayOf,
  as,
  count,
  decimal,
  fields,
  flag,
  orNull,
  price,
  record,
  text,
  words,
} from "../openapi/values.ts";
import { DONE, poolId } from "./exchangeSchema.ts";

export const UserPositionSchema = record("User position", {
  id: text("names the position in [`/users/{address}/liquidity`](#history-of-liquidity)"),
  pool: poolId("the pool"),
  name: text("the symbols of token0 and token1"),
  dex: text("the name of the exchange"),
  poolType: words(
    POOL_TYPES,
    "`v2`, `volatile` or `stable` for shares; of another type for a position between two ticks",
  ),
  feeTier: price("what the pool takes of a trade, in hundredths of a basis point"),
  token0: address("the token with the lower address"),
  token1: address("the other token"),
  manager: orNull(
    address("the contract whose token the position is; null for shares, and for a position in the pool itself"),
  ),
  tokenId: orNull(decimal("the id of that token")),
  tickLower: orNull(Type.Integer({ description: "the lower tick; null for shares" })),
  tickUpper: orNull(Type.Integer({ description: "the upper tick" })),
  liquidity: decimal("its liquidity, or the shares in smallest units"),
  sharePercent: price("what part that is of all shares, or of the liquidity in range; 0 out of range"),
  inRange: flag("whether it earns fees at the price of now; true for shares"),
  token0Amount: price("what removing it would give of token0, in whole tokens"),
  token1Amount: price("what it would give of token1"),
  valueUsd: price("these at the [prices](#prices) of now, in US dollars; a token without a price counts 0"),
  uncollected0: orNull(
    price(
      "fees of token0, and what was removed, that can be collected, in whole tokens; at most what the pool has for its manager; null where the node does not say",
    ),
  ),
  uncollected1: orNull(price("the same of token1")),
  uncollectedUsd: orNull(price("these in US dollars; null in a pool whose code is not that of a known exchange")),
});

export const UserPositionsSchema = fields("positions", {
  data: arrayOf(UserPositionSchema, "the positions"),
  meta: as(
    record("Page of positions", {
      count: count("positions on this page"),
      page_num: count("the page"),
      page_size: count("positions on a page"),
      total: count("all positions of the user"),
      block_number: count("the block that this is true at"),
    }),
    "where the page stands",
  ),
  ...DONE,
});
