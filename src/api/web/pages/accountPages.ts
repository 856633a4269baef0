import { listAccounts } from "../../../query/accounts/accounts.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import type { WebPage } from "../page.ts";
import { parsePage } from "../params.ts";
import { coins, figure, percent } from "../parts/format.ts";
import { addressLink, blockLink } from "../parts/links.ts";
import { pager, table } from "../parts/table.ts";

export const ACCOUNT_PAGES: readonly WebRoute[] = [{ path: "/accounts", serve: serveAccounts }];

async function serveAccounts({ network, site }: WebContext, { query }: WebRequest): Promise<WebPage> {
  const { accounts, addresses, total, info } = await listAccounts(network, parsePage(query));
  const first = (info.page - 1) * info.pageSize + 1;
  const rows = accounts.map(({ address, balance, transactions }, at) => [
    first + at,
    addressLink(address, addresses),
    coins(balance, site.coin),
    percent(balance, total),
    figure(transactions),
  ]);
  const columns = [
    "Rank",
    "Account",
    { title: "Balance", isNumber: true },
    { title: "Share", isNumber: true },
    { title: "Transactions", isNumber: true },
  ];
  const at = info.block !== null && html` after block ${blockLink(info.block)}`;
  const body = html`<h1>Accounts</h1>
<p class="quiet">They have ${coins(total, site.coin)} together${at}.</p>
${table(columns, rows, "Nobody has any.")}
${pager(info, "/accounts")}`;
  return { title: "Accounts", body, json: "/api/v2/addresses", isList: true };
}
