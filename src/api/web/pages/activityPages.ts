import { readRates } from "../../../query/exchange/rates.ts";
import { listTransfers } from "../../../query/tokens/transfers.ts";
import { listInternalTransactions } from "../../../query/traces/internalTransactions.ts";
import { listTransactions } from "../../../query/transactions/transactionPages.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import type { WebPage } from "../page.ts";
import { parsePage } from "../params.ts";
import { internalTable, transferTable } from "../parts/rows.ts";
import { pager } from "../parts/table.ts";
import { transactionRows } from "../parts/transactionRows.ts";

export const ACTIVITY_PAGES: readonly WebRoute[] = [
  { path: "/txs", serve: serveTransactions },
  { path: "/token-transfers", serve: serveTransfers },
  { path: "/internal-txs", serve: serveInternal },
];

const heading = (current: string) => html`<h1>Transactions</h1>
<nav class="tabs" aria-label="Views"><ul>${[
  ["/txs", "Transactions"],
  ["/token-transfers", "Token transfers"],
  ["/internal-txs", "Internal transactions"],
  ["/advanced-filter", "Advanced filter"],
].map(
  ([path, title]) => html`<li><a href="${path}"${path === current && html` aria-current="page"`}>${title}</a></li>`,
)}</ul></nav>`;

async function serveTransactions({ network, site }: WebContext, { query }: WebRequest): Promise<WebPage> {
  const request = parsePage<never>(query);
  const [page, rates] = await Promise.all([listTransactions(network, request, "actions"), readRates(network)]);
  const body = html`${heading("/txs")}
<div data-live-part="transactions">${transactionRows(page, { coin: site.coin, rates, names: network.names })}</div>
${pager(page.info, "/txs")}`;
  return {
    title: "Transactions",
    body,
    json: "/api/v2/transactions",
    isList: true,
    isLive: request.page === 1,
    scope: "index",
  };
}

async function serveTransfers({ network }: WebContext, { query }: WebRequest): Promise<WebPage> {
  const request = parsePage<never>(query);
  const { transfers, addresses, info } = await listTransfers(network, request);
  const body = html`${heading("/token-transfers")}
<div data-live-part="transfers">${transferTable(transfers, addresses, { names: network.names })}</div>
${pager(info, "/token-transfers")}`;
  return {
    title: "Token transfers",
    body,
    json: "/api/v2/token-transfers",
    isList: true,
    isLive: request.page === 1,
    scope: "index",
  };
}

async function serveInternal({ network, site }: WebContext, { query }: WebRequest): Promise<WebPage> {
  const request = parsePage<never>(query);
  const { calls, addresses, info } = await listInternalTransactions(network, request);
  const body = html`${heading("/internal-txs")}
<div data-live-part="internal">${internalTable(calls, addresses, site.coin)}</div>
${pager(info, "/internal-txs")}`;
  const title = "Internal transactions";
  return {
    title,
    body,
    json: "/api/v2/internal-transactions",
    isList: true,
    isLive: request.page === 1,
    scope: "index",
  };
}
