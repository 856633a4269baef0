import { COSTS } from "../../query/pools/profits.ts";
import { SHARE_EVENT_TYPES } from "../../query/pools/readShares.ts";
import {
  address,
  arrayOf,
  as,
  count,
  decimal,
  fields,
  hash,
  orNull,
  price,
  record,
  text,
  words,
} from "../openapi/values.ts";
import { DONE, plain, poolId } from "./exchangeSchema.ts";

export const LiquidityEventSchema = record("Liquidity event", {
  transaction_hash: hash("the transaction"),
  log_index: count("the index of its log in the block"),
  block_number: count("the block"),
  timestamp: count("the time of the block, in seconds since 1970"),
  type: words(
    SHARE_EVENT_TYPES,
    "`mint` (liquidity was added), `burn` (it was removed), `collect` (tokens left the pool, or fees of shares were claimed); `transfer_in` and `transfer_out` of shares that changed hands otherwise",
  ),
  shares: orNull(decimal("the shares in smallest units; null for another position, and for claimed fees")),
  token0Amount: orNull(price("how much of token0, in whole tokens; null where shares changed hands")),
  token1Amount: orNull(price("how much of token1")),
  valueUsd: orNull(
    price("these at the [prices](#prices) after that block, in US dollars; null where one of them had none"),
  ),
});

const PAGE = {
  page_num: count("the page"),
  page_size: count("the size of a page"),
  block_number: count("the block that this is true at"),
};

export const LiquidityEventsSchema = fields("events", {
  data: arrayOf(LiquidityEventSchema, "the events, newest first"),
  meta: as(
    record("Page of liquidity events", {
      pool: poolId("the pool of the position"),
      token0: address("its token0"),
      token1: address("its token1"),
      count: count("events on this page"),
      total: count("all events of the position"),
      ...PAGE,
    }),
    "what the position is in, and where the page stands",
  ),
  ...DONE,
});

const signed = (description: string) => orNull(plain(description));

export const ProfitSchema = record("Profit", {
  id: text("the position, as in [positions](#user-position)"),
  pool: poolId("the pool"),
  name: text("the symbols of token0 and token1"),
  cost: words(
    COSTS,
    "`known` if everything came by deposits; `transferred` if it, or some of its shares, ever changed hands; `unknown` if events do not tell, or are too many",
  ),
  deposited0: orNull(price("what was ever added of token0, in whole tokens; null where that is not known")),
  deposited1: orNull(price("the same of token1")),
  withdrawn0: orNull(price("what ever left it of token0, fees included; null where that is not known")),
  withdrawn1: orNull(price("the same of token1")),
  fees0: signed(
    "fees that it ever earned of token0, collected or not; null where they are part of the shares, or not known",
  ),
  fees1: signed("the same of token1"),
  worthUsd: orNull(price("what it holds and what can be collected, at the [prices](#prices) of now, in US dollars")),
  heldUsd: signed("what was deposited less what was withdrawn, at the same prices: negative if more was withdrawn"),
  profitUsd: signed("`worthUsd` less `heldUsd`"),
  profitPercent: signed("that as a part of what was deposited, at the same prices"),
});

export const ProfitsSchema = fields("profits", {
  data: arrayOf(ProfitSchema, "one for each position, in the order of positions"),
  meta: as(
    record("Page of profits", {
      count: count("positions on this page"),
      total: count("all positions of the user"),
      ...PAGE,
    }),
    "where the page stands",
  ),
  ...DONE,
});
