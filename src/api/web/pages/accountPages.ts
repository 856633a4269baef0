import { listAccounts, sortAccounts } from "../../../query/accounts/accounts.ts";
import { readRates } from "../../../query/exchange/rates.ts";
import type { RankCursor } from "../../../query/pages.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import type { WebPage } from "../page.ts";
import { parseChoice, parsePage } from "../params.ts";
import { coins, figure, percent } from "../parts/format.ts";
import { addressLink, blockLink } from "../parts/links.ts";
import { assetDollars, dollarAmount } from "../parts/money.ts";
import { sortable } from "../parts/sorting.ts";
import type { Column } from "../parts/table.ts";
import { pager, table } from "../parts/table.ts";

export const ACCOUNT_PAGES: readonly WebRoute[] = [{ path: "/accounts", serve: serveAccounts }];

const SORTS = ["balance", "transactions"] as const;

async function serveAccounts({ network, site }: WebContext, { query }: WebRequest): Promise<WebPage> {
  const [sort, order] = [parseChoice(query, "sort", SORTS), parseChoice(query, "order", ["desc", "asc"])];
  const isStandard = sort === SORTS[0] && order === "desc";
  const request = parsePage<RankCursor>(query);
  const by = { sort: sort === "balance" ? "balance" : "transactions_count", order } as const;
  const [{ accounts, addresses, total, info }, rates] = await Promise.all([
    isStandard ? listAccounts(network, request) : sortAccounts(network, by, request),
    readRates(network),
  ]);
  const given = isStandard ? {} : { sort, ...(order === "asc" && { order }) };
  const first = (info.page - 1) * info.pageSize + 1;
  const rows = accounts.map(({ address, balance, transactions }, at) => [
    html`<span class="rank">${first + at}</span> ${addressLink(address, addresses, network.names)}`,
    coins(balance, site.coin),
    ...(rates.coin === undefined ? [] : [dollarAmount(assetDollars({ token: null, amount: balance }, rates) ?? 0)]),
    percent(balance, total),
    figure(transactions),
  ]);
  const list = { path: "/accounts", given: {}, sort, order };
  const columns: Column[] = [
    { title: "Account" },
    { title: "Balance", isNumber: true, card: "end", ...sortable("balance", list) },
    ...(rates.coin === undefined ? [] : [{ title: "Value", isNumber: true, card: "plain" } as const]),
    { title: "Share", isNumber: true },
    { title: "Transactions", isNumber: true, ...sortable("transactions", list) },
  ];
  const at = info.block !== null && html` after block ${blockLink(info.block)}`;
  const body = html`<h1>Accounts</h1>
<p class="quiet">They have ${coins(total, site.coin)} together${at}.</p>
${table(columns, rows, "Nobody has any.")}
${pager(info, "/accounts", given)}`;
  return { title: "Accounts", body, json: "/api/v2/addresses", isList: true };
}
