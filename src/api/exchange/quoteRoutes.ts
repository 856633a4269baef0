import { isDigits } from "../../chain/encoding/parse.ts";
import { isSolidly } from "../../chain/exchange/exchangeFields.ts";
import type { CacheScope } from "../../query/cacheScope.ts";
import { findQuote } from "../../query/pools/quote.ts";
import { Type } from "../openapi/type.ts";
import type { Shape } from "../openapi/values.ts";
import { words } from "../openapi/values.ts";
import { inQuery } from "./parameters.ts";
import type { Query } from "./parse.ts";
import { BadRequest, EXCHANGE_FILTERS, oneOf, parseAddress } from "./parse.ts";
import { presentQuote } from "./presentQuote.ts";
import { QuoteAnswerSchema } from "./quoteSchema.ts";
import type { ExchangeRoute } from "./route.ts";
import { DONE, expectFound } from "./route.ts";

const required = (name: string, description: string) => ({
  ...inQuery(name, Type.String({ description })),
  required: true,
});

/** Beyond the specification. */
export const QUOTE_ROUTES: readonly ExchangeRoute[] = [
  {
    path: "/quote",
    isRecord: true,
    summary: "what a swap would give: a [quote](#quote) over all pools",
    parameters: [
      required("tokenIn", "The token that goes in: an address."),
      required("tokenOut", "The token that comes out: an address."),
      { ...required("amount", "What goes in, in smallest units."), example: "1000000" },
      inQuery(
        "exchanges",
        words(EXCHANGE_FILTERS, "`known` by default: pools of other exchanges may lie about themselves."),
      ),
    ],
    schema: QuoteAnswerSchema,
    scopeOf: (response) => scopeOf(response as Shape<typeof QuoteAnswerSchema>),
    serve: async ({ network }, { query }) => {
      const [tokenIn, tokenOut] = [parseAddress(query.tokenIn, "tokenIn"), parseAddress(query.tokenOut, "tokenOut")];
      if (tokenIn === tokenOut) throw new BadRequest("tokenIn and tokenOut must differ");
      const exchanges = oneOf(query, "exchanges", EXCHANGE_FILTERS, "known");
      const quote = await findQuote(network, { tokenIn, tokenOut, amount: parseAmount(query), exchanges });
      return { data: presentQuote(expectFound(quote)), ...DONE };
    },
  },
];

/** Fees of pools of Solidly come from the node, which may answer later what it does not answer now. */
function scopeOf({ data }: Shape<typeof QuoteAnswerSchema>): CacheScope | undefined {
  const hops = data.routes.flatMap((route) => route.hops).filter(({ poolType }) => isSolidly(poolType));
  if (hops.some(({ isEstimate }) => isEstimate)) return undefined;
  return hops.length > 0 ? "state" : "index";
}

const MAX_AMOUNT = 1n << 128n;
const MAX_DIGITS = 39;

function parseAmount({ amount }: Query): bigint {
  if (typeof amount === "string" && amount.length <= MAX_DIGITS && isDigits(amount)) {
    const parsed = BigInt(amount);
    if (parsed > 0n && parsed < MAX_AMOUNT) return parsed;
  }
  throw new BadRequest("amount must be a whole number of smallest units, above 0 and below 2^128");
}
