import { formatFraction } from "../../../exchange/decimal.ts";
import { listAccounts } from "../../../query/accounts/accounts.ts";
import { readRates } from "../../../query/exchange/rates.ts";
import { orNull, price } from "../../openapi/values.ts";
import { presentPage } from "../envelope.ts";
import { ParameterError, parseRankedPage } from "../params.ts";
import type { Route } from "../route.ts";
import { listRoute } from "../route.ts";
import { RankedAccountSchema } from "./accountSchema.ts";
import { presentRankedAccount } from "./presentAccount.ts";

const COIN_DECIMALS = 18;
const COIN = 10n ** BigInt(COIN_DECIMALS);

/** All accounts that the index has seen. */
export const ACCOUNT_LIST_ROUTES: readonly Route[] = [
  listRoute({
    path: "/addresses",
    tag: "Addresses",
    summary: "a [list](#list) of the [accounts](#ranked-account) that the index has seen, the richest first",
    list: RankedAccountSchema,
    beside: {
      total_supply: price(
        "what all accounts of the list have together, in coins of 10^18 wei, as clients of Blockscout divide it",
      ),
      exchange_rate: orNull(price("the price of the native coin in US dollars; null without one")),
    },
    fails: [503],
    serve: async ({ network }, { query }) => {
      for (const name of ["sort", "order"]) {
        if (query[name]) throw new ParameterError(name, "none: accounts are listed by balance alone");
      }
      const request = parseRankedPage(query);
      const { accounts, addresses, total, info } = await listAccounts(network, request);
      const { coin } = await readRates(network);
      const items = accounts.map((account) => presentRankedAccount(account, addresses, total));
      return {
        ...presentPage(items, info),
        total_supply: formatFraction(total, COIN, COIN_DECIMALS),
        exchange_rate: coin ?? null,
      };
    },
  }),
];
