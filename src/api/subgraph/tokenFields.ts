import { GraphQLID, GraphQLString } from "graphql";
import type { SubgraphToken } from "../../query/subgraph/subgraphMarket.ts";
import { use } from "./batch.ts";
import type { Fields } from "./fields.ts";
import { field } from "./fields.ts";
import { derivedPrice } from "./figures.ts";
import { BigDecimalType, BigIntType } from "./scalars.ts";

const UNKNOWN = "unknown";

/** What both subgraphs have of tokens. */
export const tokenFields = (): Fields<SubgraphToken> => ({
  id: field(GraphQLID, "its address", ({ token }) => token.hex),
  symbol: field(GraphQLString, "its symbol; `unknown` where it does not say", ({ token }, { tokens }) =>
    use(tokens.load(token), ({ symbol }) => symbol || UNKNOWN),
  ),
  name: field(GraphQLString, "its name; `unknown` where it does not say", ({ token }, { tokens }) =>
    use(tokens.load(token), ({ name }) => name || UNKNOWN),
  ),
  decimals: field(BigIntType, "its decimals; 0 where it does not say", ({ token }, { tokens }) =>
    use(tokens.load(token), ({ decimals }) => decimals),
  ),
  totalSupply: field(
    BigIntType,
    "its supply now, in smallest units; 0 where it is not known",
    ({ token }, { tokens }) => use(tokens.load(token), ({ supply }) => supply ?? 0n),
  ),
  txCount: field(BigIntType, "the sum of `txCount` of its pools", ({ transactions }) => transactions),
  derivedETH: field(BigDecimalType, "its price in the network's coin; 0 without one", (token, context) =>
    derivedPrice(context, token),
  ),
});
