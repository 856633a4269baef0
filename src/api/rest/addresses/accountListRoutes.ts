import { formatFraction } from "../../../exchange/decimal.ts";
import { listAccounts, sortAccounts } from "../../../query/accounts/accounts.ts";
import { readRates } from "../../../query/exchange/rates.ts";
import { ACCOUNT_SORTS, MAX_ACCOUNTS, RICHEST_FIRST } from "../../../query/ranking/accountRanking.ts";
import type { Parameter } from "../../openapi/operation.ts";
import { grouped, orNull, price, words } from "../../openapi/values.ts";
import { presentPage } from "../envelope.ts";
import { ORDERS } from "../parameters.ts";
import { parseChoice, parseRankedPage } from "../params.ts";
import type { Route } from "../route.ts";
import { listRoute } from "../route.ts";
import { RankedAccountSchema } from "./accountSchema.ts";
import { presentRankedAccount } from "./presentAccount.ts";

const COIN_DECIMALS = 18;
const COIN = 10n ** BigInt(COIN_DECIMALS);

const ACCOUNT_SORT: Parameter = {
  name: "sort",
  in: "query",
  schema: words(
    ACCOUNT_SORTS,
    `The field to sort by: \`balance\` or \`transactions_count\`. Another order than the richest first needs at most ${grouped(MAX_ACCOUNTS)} addresses; with more it is 413.`,
  ),
};

const ACCOUNT_ORDER: Parameter = {
  name: "order",
  in: "query",
  schema: words(ORDERS, "`desc` or `asc`: the order of `sort`."),
};

export const ACCOUNT_LIST_ROUTES: readonly Route[] = [
  listRoute({
    path: "/addresses",
    tag: "Addresses",
    summary: "a [list](#list) of the [accounts](#ranked-account) that the index has seen, the richest first",
    list: RankedAccountSchema,
    extra: {
      total_supply: price(
        "what all accounts of the list have together, in coins of 10^18 wei, as clients of Blockscout divide it",
      ),
      exchange_rate: orNull(price("the price of the native coin in US dollars; null without one")),
    },
    parameters: [ACCOUNT_SORT, ACCOUNT_ORDER],
    fails: [413, 503],
    serve: async ({ network }, { query }) => {
      const request = parseRankedPage(query);
      const by = { sort: parseChoice(query, "sort", ACCOUNT_SORTS), order: parseChoice(query, "order", ORDERS) };
      const isUsual = by.sort === RICHEST_FIRST.sort && by.order === RICHEST_FIRST.order;
      const page = isUsual ? listAccounts(network, request) : sortAccounts(network, by, request);
      const { accounts, addresses, total, info } = await page;
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
